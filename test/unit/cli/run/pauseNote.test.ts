/** A watch that runs and cannot work says why in a file, as long as that is true. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pauseIn, pauseNoteIn } from '../../../../main/cli/run/pauseNote.ts';
import { sluiceError } from '../../../../main/engine/core/errors.ts';
import { WAIT_ATTENTION_MS } from '../../../../main/engine/core/limits.ts';
import { cliReader, sentenceOfWait } from '../../../../preload/contract/waitMessages.ts';
import { createManualClock } from '../../../helpers/manualClock.ts';
import { scratch } from '../../../helpers/scratch.ts';

const FULL = sluiceError('disk.full', { said: 'database or disk is full' });
const OWNER = `pid ${process.pid} (sluice watch)`;

function scene() {
  const directory = scratch();
  const clock = createManualClock();
  const note = pauseNoteIn(directory, OWNER, clock);
  return {
    directory,
    clock,
    note,
    shown: (owner: string | null = null) => pauseIn(directory, owner, clock.now()),
  };
}

test('it says why, since when, and when the next try is, until it works again', () => {
  const { clock, note, shown } = scene();
  expect(shown()).toBeNull();
  const began = clock.now();
  note.pause(FULL, 10_000);
  clock.advance(10_000);
  note.pause(FULL, 10_000);
  const times = { since: began, nextAt: began + 20_000, attention: false };
  expect(shown()).toMatchObject({
    kind: 'program',
    code: 'disk.full',
    detail: 'database or disk is full',
    ...times,
  });
  const wait = shown();
  expect(wait && sentenceOfWait(wait, cliReader(clock.now(), true))).toBe(
    'Sluice runs, and cannot work for now: the disk is full (database or disk is full). Nothing is lost; your own files are untouched. For 10 s now. Next try in 10 s. Free some space; it continues by itself.',
  );
  note.begin();
  expect([shown(), shown(OWNER)]).toEqual([null, null]);
  clock.advance(60_000);
  note.pause(FULL, 10_000);
  expect(shown()).toMatchObject({ since: began + 70_000 });
  clock.advance(WAIT_ATTENTION_MS);
  note.pause(FULL, 10_000);
  expect(shown()).toMatchObject({ since: began + 70_000, attention: true });
  note.end();
  expect(shown()).toBeNull();
});

test('work that soon fails for the same cause does not make the pause new', () => {
  const { clock, note, shown } = scene();
  const began = clock.now();
  for (let tries = 0; tries < 9; tries += 1) {
    note.pause(FULL, 10_000);
    clock.advance(10_000);
    note.begin();
  }
  note.pause(FULL, 10_000);
  expect(shown()).toMatchObject({ since: began });
});

test('a command that never had the folder leaves the note of another', () => {
  const { directory, clock, note, shown } = scene();
  note.pause(FULL, 10_000);
  pauseNoteIn(directory, 'pid 1 (sluice watch)', clock).end();
  expect(shown()).toMatchObject({ code: 'disk.full' });
});

test('what was killed is not said to run, and a try that takes long still is', () => {
  const { clock, note, shown } = scene();
  note.pause(FULL, 10_000);
  clock.advance(60_000);
  expect(shown()).toBeNull();
  // In a container, every command may have the same process id.
  expect(shown(`pid ${process.pid} (sluice upload)`)).toBeNull();
  expect(shown(OWNER)).toMatchObject({ code: 'disk.full' });
});

test('what was killed is not said to run, not even until its next try would have been late', () => {
  const { directory, note, shown } = scene();
  note.pause(FULL, 10_000);
  const path = join(directory, 'pause.json');
  const gone = spawnSync(process.execPath, ['--version']).pid;
  const written: object = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...written, pid: gone }));
  expect(shown()).toBeNull();
  // An id of another container or computer says nothing here.
  writeFileSync(path, JSON.stringify({ ...written, pid: gone, host: 'another' }));
  expect(shown()).toMatchObject({ code: 'disk.full' });
});

test('it is written in place: a full disk has no room for more', () => {
  const { directory, note, shown } = scene();
  const size = (): number => readFileSync(join(directory, 'pause.json')).length;
  note.begin();
  const before = size();
  note.pause(sluiceError('disk.full', { said: 'ü'.repeat(10_000) }), 10_000);
  expect([size(), shown()?.code]).toEqual([before, 'disk.full']);
  note.pause(FULL, 10_000);
  expect([size(), shown()?.detail]).toEqual([before, 'database or disk is full']);
});
