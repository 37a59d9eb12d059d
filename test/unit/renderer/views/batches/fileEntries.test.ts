import { afterEach, expect, test, vi } from 'vitest';
import { batchEntries } from '../../../../../renderer/views/batches/batchEntries.ts';
import { batchRow } from '../../records.ts';
import { dismissToast, toasts } from '../../../../../renderer/state/toasts.svelte.ts';
import { fileEntries } from '../../../../../renderer/views/batches/fileEntries.ts';

afterEach(() => {
  for (const { id } of toasts()) dismissToast(id);
  vi.unstubAllGlobals();
});

test('an action for a file that fails says so', async () => {
  const error = { code: 'bug.unexpected', next: 'stop', context: {} };
  const request = () => Promise.resolve({ ok: false, error });
  vi.stubGlobal('window', { sluice: { request } });
  const entries = [
    ...fileEntries([{ id: 1, state: 'parked' }]),
    ...fileEntries([{ id: 2, state: 'confirmed' }]),
  ];
  for (const label of ['Copy path', 'Try again', 'Upload again…']) {
    entries.find((entry) => entry?.label === label && entry.disabled !== true)?.run();
    await vi.waitFor(() => expect(toasts()).toMatchObject([{ tone: 'error' }]));
    for (const { id } of toasts()) dismissToast(id);
  }
});

test('what was copied is said', async () => {
  const request = () => Promise.resolve({ ok: true, value: null });
  vi.stubGlobal('window', { sluice: { request } });
  for (const [batches, text] of [
    [[batchRow()], 'ID copied'],
    [[batchRow(), batchRow()], '2 IDs copied'],
  ] as const) {
    batchEntries(batches)
      .find((entry) => entry?.label.startsWith('Copy') === true)
      ?.run();
    await vi.waitFor(() => expect(toasts()).toMatchObject([{ tone: 'done', text }]));
  }
});
