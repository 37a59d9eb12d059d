/**
 * Whether the main thread still moves. It works on the ledger, so a drive that does not answer under the data folder holds it: then only
 * another thread can say so.
 */
import { writeSync } from 'node:fs';

const LOOK_MS = 10_000;
/** This many looks without a beat between them, in a row, are a silence. A computer that slept counts as one. Our choice. */
const STILL_LOOKS = 3;

const BEAT = 0;
const IS_SAID = 1;

/** Shared by the threads of a process. */
export interface Pulse {
  readonly shared: Int32Array<SharedArrayBuffer>;
  /** What is said once while this pulse stays away, with its line end. */
  readonly text: string;
}

/** Starts the beats of this thread; they do not keep the process alive. */
export function startPulse(text: string): Pulse {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const beat = (): void => {
    Atomics.add(shared, BEAT, 1);
    Atomics.store(shared, IS_SAID, 0);
  };
  setInterval(beat, LOOK_MS).unref();
  return { shared, text };
}

/** Says on standard error when the pulse of another thread stays away. Several threads may follow it. */
export function followPulse(
  { shared, text }: Pulse,
  say: (text: string) => void = (line) => void writeSync(2, line),
): void {
  let seen = -1;
  let still = 0;
  const look = (): void => {
    const beat = Atomics.load(shared, BEAT);
    still = beat === seen ? still + 1 : 0;
    seen = beat;
    if (still !== STILL_LOOKS || Atomics.exchange(shared, IS_SAID, 1) === 1) return;
    try {
      say(text);
    } catch {
      // No one reads it.
    }
  };
  setInterval(look, LOOK_MS).unref();
}
