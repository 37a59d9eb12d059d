import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createPool } from '../../../../main/engine/files/pool/threadPool.ts';
import { scratch } from '../../../helpers/scratch.ts';

const WAITING = { paths: () => [], reply: () => undefined, died: () => undefined };

test('files are read by the thread that sends, and by others too while it waits for the disk', () => {
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
  pool.prepare('sending');
  const id = pool.nextId();
  const reply = new Promise((resolve, reject) => {
    pool.forSending().begin(id, { paths: () => [], reply: resolve, died: reject });
  });
  pool.forSending().post({ type: 'stat', id, paths: [] });
  // In one message: waking the thread costs more than a small request.
  expect(await reply).toMatchObject({ seen: [['prepare', 'stat']] });
});

test('a thread that was prepared for nothing does not keep the process alive', () => {
  const program = `
    import { createPool } from '${new URL('../../../../main/engine/files/pool/threadPool.ts', import.meta.url)}';
    createPool({ workerUrl: new URL('${new URL('./preparedWorker.ts', import.meta.url)}') }).prepare('sending');`;
  const args = ['--input-type=module', '--eval', program];
  expect(() => execFileSync(process.execPath, args, { timeout: 20_000 })).not.toThrow();
});

test('a thread keeps its compiled code where the process keeps its own', () => {
  const program = `
    import { enableCompileCache, getCompileCacheDir } from 'node:module';
    import { createPool } from '${new URL('../../../../main/engine/files/pool/threadPool.ts', import.meta.url)}';
    enableCompileCache(process.argv[1]);
    const pool = createPool({ workerUrl: new URL('${new URL('./preparedWorker.ts', import.meta.url)}') });
    const reply = ({ cache }) => {
      console.log(JSON.stringify([getCompileCacheDir(), cache]));
      pool.forSending().end(1);
      void pool.close();
    };
    pool.forSending().begin(1, { reply, died: console.error });
    pool.forSending().post({ type: 'stat', id: 1, paths: [] });`;
  const args = ['--input-type=module', '--eval', program, scratch()];
  const [own, thread] = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  expect(own).toEqual(expect.any(String));
  expect(thread).toBe(own);
});

test('a pool that is closed while an answer is on its way ends its threads before the process ends', () => {
  const program = `
    import { createPool } from '${new URL('../../../../main/engine/files/pool/threadPool.ts', import.meta.url)}';
    const pool = createPool({ workerUrl: new URL('${new URL('./lingeringWorker.ts', import.meta.url)}') });
    const worker = pool.forSending();
    worker.begin(1, { reply: () => worker.end(1), died: console.error });
    worker.post({ type: 'stat', id: 1, paths: [] });
    // The answer arrives, but this thread cannot take it before it closes the pool.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    await pool.close();
    console.log('closed');`;
  const args = ['--input-type=module', '--eval', program];
  const said = execFileSync(process.execPath, args, { encoding: 'utf8', stdio: 'pipe' });
  expect(said).toBe('closed\n');
});

test('a pool that is closed while a thread loads its code lets it finish: V8 could abort the process otherwise', async () => {
  const loaded = join(scratch(), 'loaded');
  const code = `
    import { writeFileSync } from 'node:fs';
    import { parentPort } from 'node:worker_threads';
    await new Promise((resolve) => setTimeout(resolve, 200));
    writeFileSync(${JSON.stringify(loaded)}, '');
    parentPort.postMessage([{ type: 'ready' }]);`;
  const workerUrl = new URL(`data:text/javascript,${encodeURIComponent(code)}`);
  const pool = createPool({ workerUrl, workers: 1 });
  pool.prepare('writing');
  await pool.close();
  expect(existsSync(loaded)).toBe(true);
});

test('preparing a closed pool says nothing', async () => {
  const pool = createPool({ workerUrl: new URL('./dyingWorker.ts', import.meta.url), workers: 1 });
  await pool.close();
  expect(() => pool.prepare('sending')).not.toThrow();
  expect(() => pool.forSending()).toThrow();
});
