/** The engine's ports for a world: the real ones, with whatever a test injects. */
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import type {
  Clock,
  Files,
  Http,
  HttpAnswer,
  HttpRequest,
  Log,
  Ports,
  SourceBody,
} from '../../main/engine/core/ports.ts';
import { createPool } from '../../main/engine/files/pool/threadPool.ts';
import { createFiles } from '../../main/engine/files/nodeFiles.ts';
import { createInlineFiles } from '../helpers/inlineFiles.ts';
import { createHttp } from '../../main/engine/service/http/http.ts';
import { systemRandom } from '../../main/nodePorts.ts';
import { systemClock } from '../../main/systemClock.ts';

/** A change of the ports. */
export type Wrap = (ports: Ports) => Ports;

/** Applies wraps one after the other. */
export function wrapped(ports: Ports, wraps: readonly Wrap[]): Ports {
  return wraps.reduce((before, wrap) => wrap(before), ports);
}

/** Ports on the real disk and network; with `threads` files are read as in the programs, else on the calling thread. */
export function createPorts(log: Log, threads: boolean): Ports {
  const workerUrl = new URL('../../main/engine/files/pool/fileWorker.ts', import.meta.url);
  return {
    clock: systemClock,
    random: systemRandom,
    log,
    files: threads ? createFiles(createPool({ workerUrl, workers: 2 })) : createInlineFiles(),
    http: createHttp(),
  };
}

/** A connection is considered broken after this much silence, instead of a minute. */
export function stallAfter(ms: number): Wrap {
  return requestsThrough((http, request) =>
    http.request({ ...request, stallMs: Math.min(ms, request.stallMs) }),
  );
}

/** Requests pass through a function, which gets the real port, and the clock of the ports. */
export function requestsThrough(
  change: (http: Http, request: HttpRequest, clock: Clock) => ReturnType<Http['request']>,
): Wrap {
  return (ports) => ({
    ...ports,
    http: {
      request: (request) => change(ports.http, request, ports.clock),
      close: () => ports.http.close(),
    },
  });
}

/** Other functions for some of those of the file port, made from the real ones. */
export function filesWith(change: (files: Files) => Partial<Files>): Wrap {
  return (ports) => ({ ...ports, files: { ...ports.files, ...change(ports.files) } });
}

/** The disk has this much free space. */
export function freeSpace(bytes: number): Wrap {
  return filesWith(() => ({ freeBytes: () => Promise.resolve(bytes) }));
}

/** Every read of a source file waits until it is released. */
export function heldReads(): { readonly wrap: Wrap; isReading(): boolean; release(): void } {
  const gate = Promise.withResolvers<void>();
  let reading = false;
  const wrap = filesWith((files) => ({
    inspect: async (paths, kind) => {
      reading = true;
      await gate.promise;
      return files.inspect(paths, kind);
    },
  }));
  return { wrap, isReading: () => reading, release: gate.resolve };
}

/** This computer's wall clock is ahead by `ms`. */
export function clockAhead(ms: number): Wrap {
  return (ports) => ({
    ...ports,
    clock: { ...ports.clock, now: () => ports.clock.now() + ms },
  });
}

export function storageAnswers(
  change: (answer: HttpAnswer, request: HttpRequest) => HttpAnswer | Promise<HttpAnswer>,
): Wrap {
  return requestsThrough(async (http, request) => {
    const answer = await http.request(request);
    const isStored = answer.kind === 'answer' && request.url.includes('/storage/');
    return isStored ? change(answer, request) : answer;
  });
}

/**
 * A storage that delivers other bytes than it got, of the same length, and states nothing about them; with `each`, it alters each
 * object in another way.
 */
export function alteringStorage({ each = false } = {}): Wrap {
  return storageAnswers(async (answer, request) => {
    if (request.method !== 'GET' || answer.status >= 300) return answer;
    const bytes = await buffer(answer.body);
    if (bytes.length > 1) bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
    if (each && bytes.length > 8)
      bytes.writeUInt32LE(crc32(new URL(request.url).pathname), bytes.length - 5);
    const kept = ['content-type', 'content-length', 'content-range'];
    const headers = Object.entries(answer.headers).filter(([name]) => kept.includes(name));
    const dispose = (): void => answer.body.dispose();
    const body = Object.assign(Readable.from([bytes]), { dispose });
    return { ...answer, headers: Object.fromEntries(headers), body };
  });
}

/** The longest time between two looks at a fast clock that counts, ms: in a longer one, a busy machine did not let this process run. */
const LONGEST_STEP_MS = 25;

/**
 * Clocks that run `factor` times as fast, except the wall clock: minutes of waiting pass in a moment. No sleep ends while a path is
 * looked up: the ten seconds that this may take would be milliseconds.
 */
export function fastClock(factor: number): Wrap {
  return (ports) => {
    const { files } = ports;
    let lookingUp: Promise<unknown> = Promise.resolve();
    const lookedUp = <T>(look: Promise<T>): Promise<T> => {
      lookingUp = Promise.allSettled([lookingUp, look]);
      return look;
    };
    const began = ports.clock.monotonicMs();
    let seenAt = began;
    let passedMs = 0;
    const passed = (): number => {
      const at = ports.clock.monotonicMs();
      passedMs += Math.min(at - seenAt, LONGEST_STEP_MS);
      seenAt = at;
      return passedMs;
    };
    const clock: Clock = {
      now: () => ports.clock.now(),
      monotonicMs: () => began + passed() * factor,
      sleep: async (ms, signal) => {
        const until = passed() + ms / factor;
        do {
          const leftMs = Math.max(0, until - passed());
          await ports.clock.sleep(Math.min(leftMs, LONGEST_STEP_MS / 2), signal);
        } while (passed() < until && signal?.aborted !== true);
        if (signal?.aborted !== true) await lookingUp;
      },
    };
    const directoryAt: Files['directoryAt'] = (path) => lookedUp(files.directoryAt(path));
    const realPath: Files['realPath'] = (path) => lookedUp(files.realPath(path));
    return { ...ports, clock, files: { ...files, directoryAt, realPath } };
  };
}

/** Calls back once, when the sources of the first transfer with a file with this extension have delivered this many chunks. */
export function whileSending(ending: string, afterChunks: number, act: () => Promise<void>): Wrap {
  let done = false;
  return filesWith((files) => ({
    openSources: (plan, options, signal) => {
      const source = files.openSources(plan, options, signal);
      if (done || !plan.members.some((member) => member.path.endsWith(ending))) return source;
      return actingBody(source, afterChunks, async () => {
        if (done) return;
        done = true;
        await act();
      });
    },
  }));
}

/** The same body with other chunks. */
export function withChunks(source: SourceBody, chunks: SourceBody['chunks']): SourceBody {
  const { lengthBytes, outcome, checksums } = source;
  return { lengthBytes, outcome, checksums, chunks };
}

function actingBody(source: SourceBody, afterChunks: number, act: () => Promise<void>): SourceBody {
  return withChunks(source, async function* () {
    if (afterChunks === 0) await act();
    let given = 0;
    for await (const chunk of source.chunks()) {
      yield chunk;
      given += 1;
      if (given === afterChunks) await act();
    }
  });
}

/** The first transfer with a file with this extension finds it changed; later it reads the same again. */
export function asChanged(ending: string): Wrap {
  let done = false;
  return filesWith((files) => ({
    openSources: (plan, options, signal) => {
      const source = files.openSources(plan, options, signal);
      const index = plan.members.findIndex((member) => member.path.endsWith(ending));
      if (done || index < 0) return source;
      done = true;
      return {
        ...withChunks(source, async function* () {
          for await (const chunk of source.chunks()) {
            yield chunk.subarray(0, Math.floor(chunk.length / 2));
            throw new Error('the source changed');
          }
        }),
        outcome: () => ({ kind: 'changed', index, code: 'item.changed' }),
      };
    },
  }));
}

export function rewriting(path: RegExp, change: (json: string) => string): Wrap {
  return requestsThrough(async (http, request) => {
    const answer = await http.request(request);
    if (answer.kind !== 'answer' || !path.test(new URL(request.url).pathname)) return answer;
    const changed = Buffer.from(change(await text(answer.body)));
    async function* bytes(): AsyncGenerator<Uint8Array> {
      yield changed;
    }
    const body = Object.assign(bytes(), { dispose: () => answer.body.dispose() });
    return { ...answer, body };
  });
}
