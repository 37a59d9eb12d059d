/**
 * How long a download waits for a service, storage or network that does not answer. A wait in the ledger shows this to other programs, even
 * after the download was given up, until it succeeds.
 */
import { assertNever, type Result, type SluiceError } from '../../core/errors.ts';
import { withShortageNamed } from '../../core/errno.ts';
import { KEY_REFUSED_MIDWAY_MS } from '../../core/limits.ts';
import { noteOrClear } from '../waitNotes.ts';
import { backoffMs } from '../backoff.ts';
import type { Pipeline } from '../context.ts';

export interface PatienceRules {
  /** The service has already answered this command: a silence is tolerated for longer. */
  readonly isMidway: boolean;
  /** The longest silence that is tolerated, in ms. */
  readonly mostMs: number;
}

const GROWING_TRIES = 6;

/** How long this error may last, in ms. */
function limitOf({ code, next }: SluiceError, hasAnswered: boolean, silentMs: number): number {
  // A key that is refused on first contact is wrong; a later refusal may be a temporary mistake of the service.
  if (code === 'auth.rejected') return hasAnswered ? Math.min(silentMs, KEY_REFUSED_MIDWAY_MS) : 0;
  switch (next) {
    case 'retry':
    case 'unknown':
      return silentMs;
    case 'wait':
      return /^(net|network|service)\./.test(code) ? silentMs : 0;
    case 'park':
      return code === 'service.refused' && hasAnswered ? silentMs : 0;
    case 'skip':
    case 'stop':
      return 0;
    default:
      return assertNever(next);
  }
}

export function createPatience(pipeline: Pipeline, batchId: string, rules: PatienceRules) {
  const { store, ports, times } = pipeline;
  const { clock, random } = ports;
  const subject = `download:${batchId}` as const;
  let hasAnswered = rules.isMidway;
  let failing: { readonly since: number; error: SluiceError; notedUntil: number } | null = null;
  // An earlier run may have left a wait in the ledger.
  let mayBeNoted = true;

  const note = (error: SluiceError, pauseMs: number | null): void => {
    mayBeNoted = true;
    store.transaction(() => noteOrClear(pipeline, subject, error, pauseMs));
  };
  const clear = (): void => {
    failing = null;
    if (!mayBeNoted) return;
    mayBeNoted = false;
    store.transaction(() => noteOrClear(pipeline, subject, null));
  };

  return {
    /** Something arrived: a page of the list, bytes, or a complete file. */
    progress: () => {
      hasAnswered = true;
      clear();
    },
    /** The pause before another try, in ms; null when another try would not help, or when the error has lasted for too long. */
    pauseAfter: (error: SluiceError, tries: number): number | null => {
      if (pipeline.signal.aborted) return null;
      const now = clock.monotonicMs();
      const silentMs = hasAnswered ? times.silentMidwayMs : times.silentStartMs;
      const limit = limitOf(error, hasAnswered, Math.min(silentMs, rules.mostMs));
      failing ??= { since: now, error, notedUntil: 0 };
      const left = failing.since + limit - now;
      if (left <= 0) return null;
      const bounds = { ...times, backoffMaxMs: Math.min(times.backoffMaxMs, times.probeMaxMs) };
      const wanted = backoffMs(Math.min(tries, GROWING_TRIES), random.fraction(), bounds, error);
      const pause = Math.min(wanted, left);
      // A single failure is normal and not worth a note.
      if (tries > 1 && (failing.error.code !== error.code || now >= failing.notedUntil)) {
        failing.notedUntil = now + pause;
        note(error, pause);
      }
      failing.error = error;
      return pause;
    },
    /** Why nothing arrives at the moment; null when something does. */
    waitsFor: () => failing?.error ?? null,
    /** The download was given up; this stays visible. */
    gaveUp: (error: SluiceError) => note(error, null),
    /** The download is over, or another part of the program continues it: nothing is waiting here. */
    over: clear,
  };
}

export type Patience = ReturnType<typeof createPatience>;

interface Waiting {
  readonly pipeline: Pipeline;
  readonly patience: Patience;
  readonly report: () => void;
}

/** Retries an action until it succeeds or retrying would not help; without `mayPass`, after errors with next `retry`. */
export async function patiently<T>(
  { pipeline, patience, report }: Waiting,
  act: () => Promise<Result<T>>,
  mayPass = ({ next }: SluiceError): boolean => next === 'retry',
): Promise<Result<T>> {
  for (let tries = 1; ; tries += 1) {
    const done = await act();
    if (done.ok) return done;
    const error = withShortageNamed(done.error);
    const pause = mayPass(error) ? patience.pauseAfter(error, tries) : null;
    if (pause === null) return { ok: false, error };
    report();
    await pipeline.ports.clock.sleep(pause, pipeline.signal);
  }
}
