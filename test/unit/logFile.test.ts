import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLogFile } from '../../main/logFile.ts';
import { scratch } from '../helpers/scratch.ts';

test('a line that an earlier run could not finish does not spoil the next one', () => {
  const directory = scratch();
  const path = join(directory, 'logs', 'sluice.log');
  const write = (...events: readonly string[]): void => {
    const log = openLogFile(directory, 'info', null);
    for (const event of events) {
      log.write('info', event);
      log.flush();
    }
  };
  write('first');
  appendFileSync(path, '{"at":"20');
  write('second', 'third');
  write('fourth');
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  expect(lines).toHaveLength(5);
  const whole = lines.filter((line) => line !== '{"at":"20');
  expect(whole.map((line) => JSON.parse(line))).toMatchObject([
    { event: 'first' },
    { event: 'second' },
    { event: 'third' },
    { event: 'fourth' },
  ]);
});
