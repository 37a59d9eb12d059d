/** Events worth a notification, found by comparing the ledger with its state a moment ago. */
import type { AutoJobEvent } from '../jobs/autoJobEvents.ts';
import { integer, text } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

/** Something that may be worth a notification. */
export type EngineEvent =
  | { readonly kind: 'confirmed'; readonly batchId: string; readonly files: number }
  | { readonly kind: 'attention'; readonly count: number }
  | {
      readonly kind: 'job';
      readonly jobId: string;
      readonly succeeded: boolean;
      readonly message: string | null;
    }
  | {
      readonly kind: 'fetched';
      readonly batchId: string;
      readonly to: string;
      readonly files: number;
      /** Result files that could not be downloaded. */
      readonly missing: number;
    };

/** The event behind news of an automatic job; null when it is worth no notification. Pure. */
export function toEngineEvent(news: AutoJobEvent): EngineEvent | null {
  if (news.kind === 'ended') {
    return { kind: 'job', jobId: news.jobId, succeeded: news.succeeded, message: news.message };
  }
  if (news.kind === 'fetched') {
    const { batchId, to, files, countParked } = news;
    return { kind: 'fetched', batchId, to, files, missing: countParked };
  }
  return null;
}

export interface EventFinder {
  /** Compares; returns what happened since the last call. `now` is monotonic ms. */
  find(now: number): readonly EngineEvent[];
}

/** An event is raised once nothing has changed for so long, ms: files that trickle in make one event. Our choice. */
const QUIET_MS = 4_000;

function openTransfers(store: Store): readonly number[] {
  return store
    .all(
      `SELECT DISTINCT batch_row FROM transfers
       WHERE state IN ('planned', 'registered', 'sending', 'sent', 'unknown')`,
    )
    .map((row) => integer(row, 'batch_row'));
}

function newestTransfer(store: Store): number {
  const row = store.get('SELECT coalesce(max(id), 0) AS id FROM transfers');
  return integer(row ?? {}, 'id');
}

/** Batches with transfers planned since: some may have come and gone between two calls. */
function batchesPlannedSince(store: Store, transferId: number): readonly number[] {
  return store
    .all('SELECT DISTINCT batch_row FROM transfers WHERE id > ?', transferId)
    .map((row) => integer(row, 'batch_row'));
}

function confirmedFilesOf(store: Store, batchRow: number): { batchId: string; files: number } {
  const row = store.get(
    `SELECT batch_id, (SELECT count(*) FROM items WHERE batch_row = batches.id AND state = 'confirmed') AS files
     FROM batches WHERE id = ?`,
    batchRow,
  );
  return { batchId: text(row ?? {}, 'batch_id'), files: integer(row ?? {}, 'files') };
}

function parked(store: Store): number {
  const row = store.get(`SELECT count(*) AS count FROM items WHERE state = 'parked'`);
  return integer(row ?? {}, 'count');
}

/** Makes a finder; what the ledger holds at this moment raises no event. */
export function createEventFinder(store: Store): EventFinder {
  /** Batches being sent, and when each last had an open transfer. */
  const moving = new Map<number, number>();
  let newest = newestTransfer(store);
  let problems = parked(store);
  let problemsAt: number | null = null;
  return {
    find: (now) => {
      const events: EngineEvent[] = [];
      for (const batchRow of batchesPlannedSince(store, newest)) moving.set(batchRow, now);
      newest = newestTransfer(store);
      for (const batchRow of openTransfers(store)) moving.set(batchRow, now);
      for (const [batchRow, at] of [...moving]) {
        if (now - at < QUIET_MS) continue;
        moving.delete(batchRow);
        const found = confirmedFilesOf(store, batchRow);
        if (found.files > 0) events.push({ kind: 'confirmed', ...found });
      }
      const count = parked(store);
      if (count <= problems) {
        problems = count;
        problemsAt = null;
      } else {
        problemsAt ??= now;
        if (now - problemsAt >= QUIET_MS) {
          events.push({ kind: 'attention', count: count - problems });
          problems = count;
          problemsAt = null;
        }
      }
      return events;
    },
  };
}
