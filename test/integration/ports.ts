/** The engine's ports for a world: the real ones, with whatever a test injects. */
import { text } from 'node:stream/consumers';
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
  return (ports) => ({
    ...ports,
    http: httpWith(ports.http, (http, request) =>
      http.request({ ...request, stallMs: Math.min(ms, request.stallMs) }),
    ),
  });
}

/** An http port whose requests pass through a function. */
export function httpWith(
  http: Http,
  request: (http: Http, request: Parameters<Http['request']>[0]) => ReturnType<Http['request']>,
): Http {
  return { request: (asked) => request(http, asked), close: () => http.close() };
}

/** Passes the storage's answers through a function. */
export function storageAnswers(
  change: (answer: HttpAnswer, request: HttpRequest) => HttpAnswer | Promise<HttpAnswer>,
): Wrap {
  return (ports) => ({
    ...ports,
    http: httpWith(ports.http, async (http, request) => {
      const answer = await http.request(request);
      const isStored = answer.kind === 'answer' && request.url.includes('/storage/');
      return isStored ? change(answer, request) : answer;
    }),
  });
}

/** Clocks that run `factor` times as fast, except the wall clock: minutes of waiting pass in a moment. */
export function fastClock(factor: number): Wrap {
  return (ports) => {
    const began = ports.clock.monotonicMs();
    const clock: Clock = {
      now: () => ports.clock.now(),
      monotonicMs: () => began + (ports.clock.monotonicMs() - began) * factor,
      sleep: (ms, signal) => ports.clock.sleep(ms / factor, signal),
    };
    return { ...ports, clock };
  };
}

/** Calls back once, when the sources of the first transfer with a file with this extension have delivered this many chunks. */
export function whileSending(ending: string, afterChunks: number, act: () => Promise<void>): Wrap {
  let done = false;
  return (ports) => {
    const openSources: Files['openSources'] = (plan, options, signal) => {
      const source = ports.files.openSources(plan, options, signal);
      if (done || !plan.members.some((member) => member.path.endsWith(ending))) return source;
      return actingBody(source, afterChunks, async () => {
        if (done) return;
        done = true;
        await act();
      });
    };
    return { ...ports, files: { ...ports.files, openSources } };
  };
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
  return (ports) => {
    const openSources: Files['openSources'] = (plan, options, signal) => {
      const source = ports.files.openSources(plan, options, signal);
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
    };
    return { ...ports, files: { ...ports.files, openSources } };
  };
}

/** Answers to these paths are rewritten by this function. */
export function rewriting(path: RegExp, change: (json: string) => string): Wrap {
  return (ports) => ({
    ...ports,
    http: httpWith(ports.http, async (http, request) => {
      const answer = await http.request(request);
      if (answer.kind !== 'answer' || !path.test(new URL(request.url).pathname)) return answer;
      const changed = Buffer.from(change(await text(answer.body)));
      async function* bytes(): AsyncGenerator<Uint8Array> {
        yield changed;
      }
      const body = Object.assign(bytes(), { dispose: () => answer.body.dispose() });
      return { ...answer, body };
    }),
  });
}
