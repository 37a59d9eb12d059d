/** What keeps a station from sending: a person's pause, which lasts, or a hold for now, such as on battery. */
import type { StationLine } from './hostConnection.ts';

/** What is looked at. */
export interface Pauses {
  readonly paused: boolean;
  readonly held: boolean;
  readonly lines: ReadonlyMap<number, Pick<StationLine, 'running'>>;
}

/** Pauses or resumes every line, as things are. What runs already runs to its end. */
export function applyPause({ paused, held, lines }: Pauses): void {
  const still = paused || held;
  for (const { running } of lines.values()) {
    if (still && !running.paused()) running.pause();
    if (!still && running.paused()) running.resume();
  }
}
