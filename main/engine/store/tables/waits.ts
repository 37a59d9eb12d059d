/**
 * What waits and why, as rows of the ledger; a row exists only while something waits. Every program that reads the ledger sees
 * the same waits, whether or not their writer is still running.
 */
import { detailOf, shownCode, type SluiceError } from '../../core/errors.ts';
import type { OperationFamily } from '../../evidence/gate.ts';
import { codeOf, integer, integerOrNull, type Row, text, textOrNull } from '../rows.ts';
import type { Store } from '../store.ts';

/**
 * What waits. `connection`: everything on a connection; a family of operations; `files`: reading files; `plan`: choosing their batches. By
 * the service's id: `batch`: the batch cannot be read; `hold`: nothing is sent to the batch; `ready`: the batch has no job yet; `unknown`:
 * the service should know the batch but does not (never shown; the files that wait because of it are shown); `job`; `download`. `drive`:
 * files that cannot be read, because their drive is not connected (shown with these files). By row: `watch`; `moving`: moving the confirmed
 * files of a watch. Each kind has one writer.
 */
export type WaitSubject =
  | 'connection'
  | OperationFamily
  | 'files'
  | 'drive'
  | 'plan'
  | `batch:${string}`
  | `hold:${string}`
  | `ready:${string}`
  | `unknown:${string}`
  | `job:${string}`
  | `download:${string}`
  | `watch:${number}`
  | `moving:${number}`;

/** `detail`: what the service or the system said, without secrets; null when the code says it all. */
export interface WaitReason extends Pick<StoredWait, 'code' | 'detail'> {
  /** When the next try begins, epoch ms; null when it waits for an event. */
  readonly nextAt: number | null;
}

export function waitReasonOf(
  error: Pick<SluiceError, 'code' | 'context'>,
  nextAt: number | null,
): WaitReason {
  return { code: shownCode(error), detail: detailOf(error), nextAt };
}

/**
 * Notes that something waits. `since` stays while the code stays the same, unless the clock was set back to before it; repeating the same
 * note writes nothing. It is one small write: call it in a transaction or in `soon`, together with what failed.
 */
export function noteWait(
  store: Store,
  connectionId: number,
  subject: WaitSubject,
  { code, detail, nextAt }: WaitReason,
  now: number,
): void {
  const said = detail === null ? null : detail.slice(0, 500);
  const sql = `INSERT INTO waits (connection_id, subject, code, detail, since, next_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
     ON CONFLICT (connection_id, subject) DO UPDATE SET
       since = CASE WHEN code = excluded.code THEN min(since, excluded.since) ELSE excluded.since END,
       code = excluded.code, detail = excluded.detail, next_at = excluded.next_at
     WHERE code <> excluded.code OR detail IS NOT excluded.detail OR next_at IS NOT excluded.next_at OR since > excluded.since`;
  store.run(sql, connectionId, subject, code, said, now, nextAt);
}

/**
 * Notes that something no longer waits. Cheap when it did not wait. A wait outlives the program that wrote it, so call this after the first
 * success of a run, even if this run noted no wait.
 */
export function clearWait(store: Store, connectionId: number, subject: WaitSubject): void {
  // A read takes no lock, and most successes follow a success.
  if (waitingSince(store, connectionId, subject) === null) return;
  store.run('DELETE FROM waits WHERE connection_id = ? AND subject = ?', connectionId, subject);
}

/** Since when something waits, epoch ms; null when it does not. */
export function waitingSince(
  store: Store,
  connectionId: number,
  subject: WaitSubject,
): number | null {
  const sql = 'SELECT since FROM waits WHERE connection_id = ? AND subject = ?';
  return store.one((row) => integer(row, 'since'), sql, connectionId, subject);
}

/** Makes the next try due now, because a person asked for it. */
export function dueNow(
  store: Store,
  connectionId: number,
  subject: WaitSubject,
  now: number,
): void {
  const sql = 'UPDATE waits SET next_at = ? WHERE connection_id = ? AND subject = ?';
  store.run(sql, now, connectionId, subject);
}

function toWait(row: Row) {
  return {
    connectionId: integer(row, 'connection_id'),
    subject: text(row, 'subject'),
    code: codeOf(row, 'code'),
    detail: textOrNull(row, 'detail'),
    /** Since when it has been waiting for this reason, epoch ms. */
    since: integer(row, 'since'),
    nextAt: integerOrNull(row, 'next_at'),
  };
}

export type StoredWait = Readonly<ReturnType<typeof toWait>>;

/** The noted waits of a connection, oldest first. */
export function waitsOf(store: Store, connectionId: number): readonly StoredWait[] {
  const sql = 'SELECT * FROM waits WHERE connection_id = ? ORDER BY since, subject';
  return store.list(toWait, sql, connectionId);
}
