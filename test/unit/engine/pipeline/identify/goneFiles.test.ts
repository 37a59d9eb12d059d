/** Many files that are gone at once, such as all of a drive. */
import { expect, test } from 'vitest';
import { fail, sluiceError } from '../../../../../main/engine/core/errors.ts';
import type { Files } from '../../../../../main/engine/core/ports.ts';
import { withDrives } from '../../../../../main/engine/pipeline/drives.ts';
import { inspectFiles } from '../../../../../main/engine/pipeline/identify/inspectFiles.ts';
import { identifyAgain } from '../../../../../main/engine/pipeline/identify/identifyAgain.ts';
import { waitingSince } from '../../../../../main/engine/store/tables/waits.ts';
import { createManualClock } from '../../../../helpers/manualClock.ts';
import { createInlineFiles } from '../../../../helpers/inlineFiles.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../../helpers/testPipeline.ts';

/** Leads to a file on the drive. */
const LINK = '/none/link.jpg';

test('the drive of each directory is looked for once, and that of a link to a file, too', async () => {
  const ledger = createTestLedger();
  const drive = '/none/drive';
  ledger.store.run(`INSERT INTO meta VALUES ('drive:${drive}', '')`);
  let looks = 0;
  const files = {
    ...createInlineFiles(),
    mountOf: (path: string) => {
      looks += 1;
      return Promise.resolve({ path: path === LINK ? `${drive}/z.jpg` : path, mount: '/' });
    },
  };
  const onDrive = ['a', 'b', 'c', 'sub/a', 'sub/b'].map((name) => `${drive}/${name}.jpg`);
  const paths = [...onDrive, LINK];
  const results = await inspectFiles(
    createTestPipeline(ledger, { files }),
    paths.map((path) => ({ path, foundAt: null })),
  );
  const missing: unknown = expect.objectContaining({ code: 'disk.missing' });
  expect(results).toEqual(paths.map(() => ({ ok: false, error: missing })));
  expect(looks).toBe(4);
});

test.each(['item.gone', 'file.busy', 'item.unreadable'] as const)(
  'a file that fails with %s is on a drive that is gone, such as a drive letter of Windows, which the ledger need not know',
  async (code) => {
    const path = '/none/a.jpg';
    const files = {
      ...createInlineFiles(),
      inspect: () => Promise.resolve([fail(code, { path })]),
      mountOf: () => Promise.resolve({ path, mount: null }),
    };
    const pipeline = createTestPipeline(createTestLedger(), { files });
    const missing: unknown = expect.objectContaining({ code: 'disk.missing' });
    expect(await inspectFiles(pipeline, [{ path, foundAt: null }])).toEqual([
      { ok: false, error: missing },
    ]);
  },
);

test('files wait for their drive until it is back, whatever is read meanwhile', async () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  let isAway = true;
  const lost = '/none/drive/a.jpg';
  const files = {
    ...createInlineFiles(),
    inspect: (paths: readonly string[]) =>
      Promise.resolve(
        paths.map((path) => fail(path === lost && isAway ? 'item.gone' : 'file.busy', { path })),
      ),
    mountOf: (path: string) => Promise.resolve({ path, mount: isAway ? null : '/' }),
  };
  const clock = createManualClock(1_000_000);
  const pipeline = createTestPipeline(ledger, { clock, files });
  const unread = { fingerprint: null, contentHash: null } as const;
  ledger.item(lost, unread);
  const isWaiting = (): boolean => waitingSince(store, connectionId, 'drive') !== null;
  const round = (): Promise<boolean> => identifyAgain(pipeline, () => null);
  await round();
  expect(isWaiting()).toBe(true);
  isAway = false;
  // Another file is due first: it says nothing of the drive.
  const locked = ledger.item('/none/locked.jpg', unread);
  await round();
  expect(isWaiting()).toBe(true);
  store.run('DELETE FROM items WHERE id = ?', locked);
  store.run('UPDATE items SET retry_at = 0');
  await round();
  expect(isWaiting()).toBe(false);
});

test('a directory whose drive does not answer is walked as one, and not taken for a file', async () => {
  const silent = sluiceError('disk.missing');
  const path = '/none/share';
  const files: Files = {
    ...createInlineFiles(),
    typeOf: () => Promise.resolve('other'),
    mountOf: () => Promise.resolve({ path, mount: null, silent }),
  };
  const pipeline = createTestPipeline(createTestLedger(), { files });
  const seen = await withDrives(pipeline, files, [path]);
  expect(await seen.typeOf(path)).toBe('directory');
  expect(await seen.typeOf(`${path}/socket`)).toBe('other');
});
