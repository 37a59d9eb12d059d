/**
 * Notices when this process may open no more files: everything is tried again and looks idle meanwhile, so a person must be told. The
 * cure is theirs: a higher limit.
 */
import type { Result } from '../../preload/errorCodes.ts';
import { drop } from './drop.ts';
import type { Files, Ports } from './ports.ts';
import type { Store } from './store/store.ts';
import { clearWait, noteWait } from './store/waits.ts';

/** Told when it begins and when it ends. */
export interface ShortageTeller {
  short(errno: string): void;
  enough(): void;
}

/** What a person can do about it. */
export const OPEN_FILES_ADVICE =
  'Sluice may not open more files at once. Raise the limit (ulimit -n 4096) and start it again; until then it keeps trying.';

const SHORT = new Set(['EMFILE', 'ENFILE']);

function errnoOf(result: Result<unknown>): string | null {
  const errno = result.ok ? null : result.error.context['errno'];
  return typeof errno === 'string' && SHORT.has(errno) ? errno : null;
}

/** The same files; what opens one tells of a shortage, and of its end with the first success. */
export function tellingOfShortage(files: Files, teller: ShortageTeller): Files {
  let isShort = false;
  // A wait that an earlier run left in the ledger ends with the first success, too.
  let isKnown = false;
  const look = <T extends readonly Result<unknown>[]>(results: T): T => {
    const errno = results.map(errnoOf).find((found) => found !== null) ?? null;
    if (errno !== null && !isShort) teller.short(errno);
    if (errno !== null) [isShort, isKnown] = [true, true];
    else if ((isShort || !isKnown) && results.some(({ ok }) => ok)) {
      [isShort, isKnown] = [false, true];
      teller.enough();
    }
    return results;
  };
  const lookAt = <T>(result: Result<T>): Result<T> => {
    look([result]);
    return result;
  };
  return {
    ...files,
    list: async (directory) => lookAt(await files.list(directory)),
    inspect: async (paths) => look(await files.inspect(paths)),
    hash: async (path) => lookAt(await files.hash(path)),
  };
}

/** Ports of a connection that note such a shortage as a wait of its files (`file.busy`), and tell it once to `say`. */
export function withShortageNoted<P extends Ports>(
  ports: P,
  store: Store,
  connectionId: number,
  say: (sentence: string) => void,
): P {
  const { clock, log } = ports;
  const files = tellingOfShortage(ports.files, {
    short: (errno) => {
      log.write('warn', 'files.short', { errno });
      say(OPEN_FILES_ADVICE);
      const reason = { code: 'file.busy', detail: OPEN_FILES_ADVICE, nextAt: null } as const;
      drop(store.soon(() => noteWait(store, connectionId, 'files', reason, clock.now())));
    },
    enough: () => drop(store.soon(() => clearWait(store, connectionId, 'files'))),
  });
  return { ...ports, files };
}
