import { expect, onTestFinished, test } from 'vitest';
import { createPool } from '../../../../main/engine/files/pool/threadPool.ts';

const WAITING = { reply: () => undefined, died: () => undefined };

test('files are read by the thread that sends, and by others beside it while the disk lets it wait', () => {
  const pool = createPool({ workerUrl: new URL('./dyingWorker.ts', import.meta.url), workers: 2 });
  onTestFinished(() => pool.close());
  const sender = pool.forSending();
  sender.begin(pool.nextId(), WAITING);
  expect(pool.forReading()).toBe(sender);
  pool.noteReading(64, 64 * 5);
  const second = pool.forReading();
  expect(second).not.toBe(sender);
  second.begin(pool.nextId(), WAITING);
  sender.begin(pool.nextId(), WAITING);
  // At most two threads: it picks the one with the least work.
  expect(pool.forReading()).toBe(second);
  pool.noteReading(64, 64 * 0.05);
  expect(pool.forReading()).toBe(sender);
  expect(pool.forSending()).toBe(sender);
});

test('slow work on one file never delays sending', () => {
  const pool = createPool({ workerUrl: new URL('./dyingWorker.ts', import.meta.url), workers: 2 });
  onTestFinished(() => pool.close());
  const sender = pool.forSending();
  const hashing = pool.forHashing();
  expect(hashing).not.toBe(sender);
  hashing.begin(pool.nextId(), WAITING);
  hashing.begin(pool.nextId(), WAITING);
  expect(pool.forHashing()).toBe(hashing);
});

test('the thread that sends can be prepared before anything is asked of it', async () => {
  const workerUrl = new URL('./preparedWorker.ts', import.meta.url);
  const pool = createPool({ workerUrl, workers: 1 });
  onTestFinished(() => pool.close());
  pool.prepare();
  const id = pool.nextId();
  const reply = new Promise((resolve, reject) => {
    pool.forSending().begin(id, { reply: resolve, died: reject });
  });
  pool.forSending().post({ type: 'stat', id, paths: [] });
  expect(await reply).toMatchObject({ seen: ['prepare', 'stat'] });
});

test('preparing a closed pool says nothing', async () => {
  const pool = createPool({ workerUrl: new URL('./dyingWorker.ts', import.meta.url), workers: 1 });
  await pool.close();
  expect(() => pool.prepare()).not.toThrow();
  expect(() => pool.forSending()).toThrow();
});
