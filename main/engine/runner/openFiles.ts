/**
 * Notices when this process cannot open more files. Everything is then retried, so that Sluice looks idle, although a person could raise
 * the limit.
 */
import { shortageOf } from '../core/errno.ts';
import { drop, explain, fail, type Result, sluiceError } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import type { Store } from '../store/store.ts';
import { clearWait, noteWait } from '../store/tables/waits.ts';

/** Called when the shortage begins and when it ends. */
export interface ShortageListener {
  short(errno: string): void;
  enough(): void;
}

/** What a person can do about it. */
const WORDS = explain(sluiceError('system.openFiles'));
const OPEN_FILES_ADVICE = `${WORDS.message} ${WORDS.hint}`;

/** The same ports, which also report: a shortage when a file or connection cannot be opened, and its end when a file can be opened. */
export function reportingShortage(
  { files, http }: Pick<Ports, 'files' | 'http'>,
  listener: ShortageListener,
): Pick<Ports, 'files' | 'http'> {
  /** null at first: the first success also ends a wait that an earlier run left in the ledger. */
  let isShort: boolean | null = null;
  const note = <T extends readonly Result<unknown>[]>(results: T): T => {
    const errno =
      results
        .map((result) => (result.ok ? null : shortageOf(result.error)))
        .find((found) => found !== null) ?? null;
    const isOver = errno === null && results.some(({ ok }) => ok);
    if (errno !== null && isShort !== true) listener.short(errno);
    if (isOver && isShort !== false) listener.enough();
    if (errno !== null || isOver) isShort = errno !== null;
    return results;
  };
  const noteOne = <T>(result: Result<T>): Result<T> => {
    note([result]);
    return result;
  };
  return {
    files: {
      ...files,
      list: async (directory) => noteOne(await files.list(directory)),
      // A stat opens no file, so its success ends nothing, but its thread may fail to start.
      stat: async (paths) => {
        const results = await files.stat(paths);
        note(results.filter(({ ok }) => !ok));
        return results;
      },
      inspect: async (paths, kind) => note(await files.inspect(paths, kind)),
      hash: async (path, kind) => noteOne(await files.hash(path, kind)),
    },
    http: {
      ...http,
      request: async (request) => {
        const answer = await http.request(request);
        const isShortNow = answer.kind === 'failure' && answer.fault === 'openFiles';
        if (isShortNow) note([fail('system.openFiles', { errno: 'EMFILE' })]);
        return answer;
      },
    },
  };
}

/** The ports of a connection, which note such a shortage as a wait of its files (`system.openFiles`) and report it once through `say`. */
export function withShortageNoted<P extends Ports>(
  ports: P,
  store: Store,
  connectionId: number,
  say: (sentence: string) => void,
): P {
  const { clock, log } = ports;
  const watched = reportingShortage(ports, {
    short: (errno) => {
      log.write('warn', 'files.short', { errno });
      say(OPEN_FILES_ADVICE);
      const reason = { code: 'system.openFiles', detail: null, nextAt: null } as const;
      drop(store.soon(() => noteWait(store, connectionId, 'files', reason, clock.now())));
    },
    enough: () => drop(store.soon(() => clearWait(store, connectionId, 'files'))),
  });
  return { ...ports, ...watched };
}
