/**
 * The progress of the current work, in bytes. Work starts with the first file after everything was finished, and ends when everything is
 * finished again, so that files that were confirmed before do not make new work look done.
 */
import { z } from 'zod';
import { once } from '../core/contract.ts';
import type { ByteProgress } from '../core/model.ts';
import { readValue, writeValue } from '../settings/keyValue.ts';
import type { Store } from '../store/store.ts';
import type { ItemBytes } from './counts.ts';

/** Setting: confirmed bytes at the start of the current work, for each thing measured. */
const BEGINNINGS = 'progress.beginnings';
const beginningsSchema = once(() => z.record(z.string(), z.number()));

/** What is measured: a whole connection or a destination. */
export type ProgressOf = `connection:${number}` | `destination:${number}`;

export type OpenBytes = ItemBytes & { readonly open: number };

export const NO_PROGRESS: ByteProgress = { confirmed: 0, sent: 0, onWire: 0, total: 0 };

export function bytesLeft({ confirmed, sent, onWire, total }: ByteProgress): number {
  return Math.max(0, total - confirmed - sent - onWire);
}

/** Creates a meter; it continues with what the ledger recorded of interrupted work. */
export function createProgressMeter(store: Store) {
  const kept = readValue(store, BEGINNINGS, beginningsSchema) ?? {};
  const beginnings = new Map<string, number>(Object.entries(kept));
  let written = JSON.stringify(kept);
  let now: ReadonlyMap<ProgressOf, OpenBytes> = new Map();
  return {
    /** Takes the ledger's current counts; call it before `of` whenever the ledger has changed. */
    update: (bytes: ReadonlyMap<ProgressOf, OpenBytes>) => {
      now = bytes;
      const working: Record<string, number> = {};
      for (const [what, { confirmed, open }] of bytes) {
        const before = beginnings.get(what);
        // While nothing is open, the start follows the confirmed bytes, so that it is right when the next file comes.
        const began = open === 0 || before === undefined || before > confirmed ? confirmed : before;
        beginnings.set(what, began);
        if (open > 0) working[what] = began;
      }
      const next = JSON.stringify(working);
      if (next === written) return;
      written = next;
      store.transaction(() => writeValue(store, BEGINNINGS, working));
    },
    /** The progress; `onWire`: bytes of files that were sent in transfers that are in progress. */
    of: (what: ProgressOf, onWire: number): ByteProgress => {
      const bytes = now.get(what);
      if (bytes === undefined) return NO_PROGRESS;
      const confirmed = Math.max(0, bytes.confirmed - (beginnings.get(what) ?? 0));
      return {
        confirmed,
        sent: bytes.sent,
        onWire: Math.min(onWire, bytes.unsent),
        total: confirmed + bytes.sent + bytes.unsent,
      };
    },
  };
}

export type ProgressMeter = ReturnType<typeof createProgressMeter>;
