/** The service's clock as last seen, together with this computer's, so that the service's time can be computed from the ledger alone. */
import { readMeta, writeMeta } from '../meta.ts';
import type { Store } from '../store.ts';

/** The two clocks at one moment, epoch ms. */
interface Clocks {
  readonly service: number;
  readonly local: number;
}

/** Older notes are not used: this computer's clock may have been set since. Our choice. */
const MAX_AGE_MS = 24 * 60 * 60_000;

/** Remembers what both clocks show now. */
export function noteServiceClock(
  store: Store,
  connectionId: number,
  { service, local }: Clocks,
): void {
  writeMeta(store, `serviceClock:${connectionId}`, `${Math.round(service)} ${Math.round(local)}`);
}

/**
 * How far the service's clock is ahead of this computer's, in ms, when this computer's shows `now`. 0 when nothing was noted within a day,
 * or when this computer's clock was set back since.
 */
export function serviceAheadMs(store: Store, connectionId: number, now: number): number {
  const note = readMeta(store, `serviceClock:${connectionId}`)?.split(' ').map(Number) ?? [];
  const [service = Number.NaN, local = Number.NaN] = note;
  const age = now - local;
  return age >= 0 && age <= MAX_AGE_MS && !Number.isNaN(service) ? service - local : 0;
}
