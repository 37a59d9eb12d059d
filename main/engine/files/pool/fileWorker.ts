/**
 * Entry of a file worker thread: reads, checks, hashes and writes for the pool through synchronous calls (the fastest way with
 * many small files), and sends what it reads.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { assertNever } from '../../core/errors.ts';
import { hashFile, inspectFile, statFile } from '../read/inspectFile.ts';
import { sumBody } from '../read/sourceBody.ts';
import { writeWhole } from '../write/writeWhole.ts';
import { createBodySender } from './bodySender.ts';
import { followPulse, type Pulse } from './pulse.ts';
import { inGroups, type WorkerReply, type WorkerRequest } from './workerMessages.ts';
import { uptimeMs } from '../../core/uptime.ts';

const reply = inGroups<WorkerReply>((replies) => parentPort?.postMessage(replies));
const sendBody = createBodySender(reply);

/** How long to wait before loading the code for sending, in ms: that takes 50 ms, and reading the first files comes first. */
const PREPARE_MS = 200;

let toPrepare: NodeJS.Timeout | null = null;

/** Loads what the first body would otherwise wait for. */
function prepareToSend(): void {
  if (toPrepare !== null) clearTimeout(toPrepare);
  toPrepare = null;
  // A failure shows up when a body is sent.
  void import('../read/sourceReader.ts').catch(() => undefined);
  void import('../../service/http/direct/directPool.ts').catch(() => undefined);
}

/** Hashes step by step, so that bodies are sent in between. */
function hashOn(id: number, reading: ReturnType<typeof hashFile>): void {
  const step = reading.next();
  if (step.done) reply({ type: 'hash', id, result: step.value });
  else setImmediate(hashOn, id, reading);
}

function handle(request: WorkerRequest): void {
  const { id } = request;
  const beganAt = uptimeMs();
  switch (request.type) {
    case 'stat': {
      const results = request.paths.map(statFile);
      reply({ type: 'stat', id, results, tookMs: uptimeMs() - beganAt });
      return;
    }
    case 'inspect': {
      const results = request.paths.map((path) => inspectFile(path, request.kind));
      reply({ type: 'inspect', id, results, tookMs: uptimeMs() - beganAt });
      if (toPrepare !== null) setImmediate(prepareToSend);
      return;
    }
    case 'hash':
      hashOn(id, hashFile(request.path, request.kind));
      return;
    case 'sum':
      // A signal that never aborts: the caller waits for the result or ignores it.
      void sumBody(request.plan, new AbortController().signal).then((checksums) =>
        reply({ type: 'sum', id, checksums }),
      );
      return;
    case 'write':
      void writeWhole(request.path, request.part, request.bytes, request).then((result) =>
        reply({ type: 'write', id, result }),
      );
      return;
    case 'prepare':
      toPrepare = setTimeout(prepareToSend, PREPARE_MS);
      return;
    case 'trust':
    case 'send':
    case 'bound':
    case 'grant':
    case 'stop':
      void sendBody(request);
      return;
    default:
      assertNever(request);
  }
}

const pulse: Pulse | null = workerData;
if (pulse !== null) followPulse(pulse);
parentPort?.on('message', (requests: readonly WorkerRequest[]) => requests.forEach(handle));
// V8 regards this module as loaded only after the current turn, and a thread must not be ended before that (see `terminate` in
// poolThread.ts): `reply` sends only then.
reply({ type: 'ready' });
