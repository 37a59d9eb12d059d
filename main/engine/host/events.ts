/** What is worth a notification, found by comparing the ledger with what it held a moment ago. */
import type { LoopNews } from '../jobs/autoJobNews.ts';
import { integer, text } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

/** Something that a person may want to hear. */
export type StationNews =
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
      /** Files of the results that could not be had. */
      readonly missing: number;
    };

/** What of a job's news a person may want to hear; null when none. Pure. */
export function newsOf(news: LoopNews): StationNews | null {
  if (news.kind === 'ended') {
    return { kind: 'job', jobId: news.jobId, succeeded: news.succeeded, message: news.message };
  }
  if (news.kind === 'fetched') {
    const { batchId, to, files, parked } = news;
    return { kind: 'fetched', batchId, to, files, missing: parked };
  }
  return null;
}

export interface NewsFinder {
  /** Compares; answers what happened since the last call. */
  look(now: number): readonly StationNews[];
}

/** A batch is told of when nothing of it has moved for so long, ms: files that trickle in are one piece of news. Ours. */
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

/** Batches of transfers that were planned since: some came and went between two looks. */
function begunSince(store: Store, transferId: number): readonly number[] {
  return store
    .all('SELECT DISTINCT batch_row FROM transfers WHERE id > ?', transferId)
    .map((row) => integer(row, 'batch_row'));
}

function confirmedIn(store: Store, batchRow: number): { batchId: string; files: number } {
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

/** Makes a finder; what is there at its first look is no news. */
export function createNewsFinder(store: Store): NewsFinder {
  /** Batches on their way, with the instant at which they were last seen moving. */
  const moving = new Map<number, number>();
  let newest = newestTransfer(store);
  let problems = parked(store);
  let problemsAt: number | null = null;
  return {
    look: (now) => {
      const news: StationNews[] = [];
      for (const batchRow of begunSince(store, newest)) moving.set(batchRow, now);
      newest = newestTransfer(store);
      for (const batchRow of openTransfers(store)) moving.set(batchRow, now);
      for (const [batchRow, at] of [...moving]) {
        if (now - at < QUIET_MS) continue;
        moving.delete(batchRow);
        const found = confirmedIn(store, batchRow);
        if (found.files > 0) news.push({ kind: 'confirmed', ...found });
      }
      const count = parked(store);
      if (count <= problems) {
        problems = count;
        problemsAt = null;
      } else {
        problemsAt ??= now;
        if (now - problemsAt >= QUIET_MS) {
          news.push({ kind: 'attention', count: count - problems });
          problems = count;
          problemsAt = null;
        }
      }
      return news;
    },
  };
}
