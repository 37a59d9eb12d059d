import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { fail } from '../../../../main/engine/core/errors.ts';
import { placesOf, summarizeDrop } from '../../../../main/engine/uploads/chosenPaths.ts';
import { decodeName } from '../../../../main/engine/files/names/pathBytes.ts';
import { systemClock } from '../../../../main/systemClock.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../helpers/testPipeline.ts';

function createScene() {
  const ledger = createTestLedger();
  const directory = join(ledger.directory, 'held');
  const write = (name: string, size: number): void => {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), Buffer.alloc(size, 1));
  };
  write('run.1/a.jpg', 10);
  write('run.1/deep/b.mp4', 200);
  write('run.1/empty.jpg', 0);
  write('run.1/half.jpg.part', 5);
  write('run.1/notes.txt', 5);
  write('single.png', 7);
  const { files } = createTestPipeline(ledger, { clock: systemClock }).ports;
  return { directory, files, signal: new AbortController().signal };
}

test('dropped files are checked on disk, and files that are never sent are not counted', async () => {
  const { directory, files, signal } = createScene();
  const [folder, file, gone] = ['run.1', 'single.png', 'gone.jpg'].map((name) =>
    join(directory, name),
  );
  const held = await summarizeDrop(files, [folder, file, gone].map(String), signal);
  expect(held.paths.map(({ kind }) => kind)).toEqual(['directory', 'file', 'gone']);
  expect(held).toMatchObject({ files: 3, bytes: 217, leftOut: 3, more: false });
});

test.runIf(process.platform === 'linux')('a name that is not UTF-8 is found', async () => {
  const { directory, files } = createScene();
  const name = Buffer.from('gr\xfc\xdf.jpg', 'latin1');
  writeFileSync(Buffer.concat([Buffer.from(`${directory}/`), name]), 'a');
  const path = `${directory}/${decodeName(name)}`;
  expect(await placesOf(files, [path, directory])).toEqual({
    ok: true,
    value: [
      { path, root: directory },
      { path: directory, root: directory },
    ],
  });
  const gone = join(directory, 'gone.jpg');
  expect(await placesOf(files, [gone])).toMatchObject({ error: { code: 'usage.invalid' } });
});

test('an unreadable folder is reported as such, and a late check ends', async () => {
  const { directory, files, signal } = createScene();
  const closed = { ...files, list: async () => fail('directory.unreadable') };
  const path = join(directory, 'run.1');
  expect(await summarizeDrop(closed, [path], signal)).toMatchObject({
    paths: [{ path, kind: 'unreadable' }],
    files: 0,
  });
  expect(await summarizeDrop(files, [path], AbortSignal.abort())).toMatchObject({ more: true });
  const late = new AbortController();
  const parent = join(directory, 'parent');
  mkdirSync(join(parent, 'deep'), { recursive: true });
  const list = (one: string) =>
    files.list(one).finally(() => {
      if (one.endsWith('deep')) late.abort();
    });
  expect(await summarizeDrop({ ...files, list }, [parent], late.signal)).toMatchObject({
    more: true,
  });
  rmSync(path, { recursive: true });
  expect((await summarizeDrop(files, [path], signal)).paths).toEqual([{ path, kind: 'gone' }]);
});
