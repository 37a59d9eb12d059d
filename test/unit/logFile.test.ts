import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLogFile } from '../../main/logFile.ts';
import { scratch } from '../helpers/scratch.ts';

test('after a failed write, which may have left half a line, the next line is a line of its own', () => {
  const directory = scratch();
  const folder = join(directory, 'logs');
  writeFileSync(folder, 'a file instead of the folder');
  const log = openLogFile(directory, 'info', null);
  log.write('info', 'first');
  log.flush();
  rmSync(folder);
  mkdirSync(folder);
  writeFileSync(join(folder, 'sluice.log'), '{"at":"20');
  for (const event of ['second', 'third']) {
    log.write('info', event);
    log.flush();
  }
  const lines = readFileSync(join(folder, 'sluice.log'), 'utf8').trim().split('\n').slice(1);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { event: 'second' },
    { event: 'third' },
  ]);
});
