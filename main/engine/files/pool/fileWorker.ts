/** Entry of a file worker thread: reads, checks and hashes for the pool, with synchronous calls (the fastest way to read many small files). */
import { parentPort } from 'node:worker_threads';
import { hashFile, inspectFile, lookAt } from '../read/inspectFile.ts';
import type { SourceStep } from '../read/sourceReader.ts';
import { readSources } from '../read/sourceReader.ts';
import type { WorkerReply, WorkerRequest } from './workerMessages.ts';

const streams = new Map<number, Generator<SourceStep, void>>();

function reply(message: WorkerReply, moved: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, moved);
}

/** Hashes step by step, so that streams go on meanwhile. */
function hashOn(id: number, reading: ReturnType<typeof hashFile>): void {
  const step = reading.next();
  if (step.done) reply({ type: 'hash', id, result: step.value });
  else setImmediate(hashOn, id, reading);
}

/** Takes one step of a stream; false when it has ended. */
function stepOn(id: number): boolean {
  const next = streams.get(id)?.next();
  // Else a credit was on its way when the stream ended.
  if (next === undefined || next.done) return false;
  const step = next.value;
  const isOver = step.outcome.kind !== 'reading';
  if (isOver) closeStream(id);
  reply({ type: 'step', id, step }, step.bytes === null ? [] : [step.bytes.buffer]);
  return !isOver;
}

function closeStream(id: number): void {
  streams.get(id)?.return();
  streams.delete(id);
}

function handle(request: WorkerRequest): void {
  const { id } = request;
  switch (request.type) {
    case 'look':
      reply({ type: 'look', id, results: request.paths.map(lookAt) });
      return;
    case 'inspect':
      reply({
        type: 'inspect',
        id,
        results: request.paths.map((path) => inspectFile(path, request.kind)),
      });
      return;
    case 'hash':
      hashOn(id, hashFile(request.path, request.kind));
      return;
    case 'open':
      streams.set(id, readSources(request.members, request.trailer));
      for (let count = 0; count < request.credits && stepOn(id); count += 1);
      return;
    case 'credit':
      stepOn(id);
      return;
    case 'stop':
      closeStream(id);
  }
}

parentPort?.on('message', handle);
reply({ type: 'ready' });
