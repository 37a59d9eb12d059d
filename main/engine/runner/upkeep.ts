/** What a pipeline does in addition to its steps: notes in the ledger what blocks it, and retries what was given up. */
import { FAMILIES } from '../evidence/gate.ts';
import { confirmUnproven, type CountsSeen } from '../pipeline/confirm/confirmUnproven.ts';
import type { Pipeline } from '../pipeline/context.ts';
import type { Store } from '../store/store.ts';
import { parkedForService, requeueParked } from '../store/tables/parked.ts';
import { noteEngineBehind } from '../store/tables/engineClock.ts';
import { noteServiceClock } from '../store/tables/serviceClock.ts';
import { noteOrClear } from '../pipeline/waitNotes.ts';
import { clearWait, type WaitSubject } from '../store/tables/waits.ts';

const NOTE_MS = 1_000;
const GROUP = 500;

const SUBJECTS = ['connection', ...FAMILIES] as const;

/** The clock is noted again when the difference changes by this much, and at least this often, in ms. Our choice. */
const CLOCK_CHANGE_MS = 5_000;
const CLOCK_NOTE_MS = 60 * 60_000;

/**
 * Creates the notes of how far engine time is behind this computer's clock after the clock was set. Writes only when the difference
 * changes.
 */
function createBehindNote({ store, connectionId, ports, time }: Pipeline): () => Promise<void> {
  let written = 0;
  return async () => {
    const behindMs = ports.clock.now() - time.now();
    if (Math.abs(behindMs - written) < CLOCK_CHANGE_MS) return;
    await store.soon(() => noteEngineBehind(store, connectionId, behindMs));
    written = behindMs;
  };
}

/** Creates the notes of the service's clock, for programs that only read the ledger. Writes only when something is new. */
function createClockNote({ store, connectionId, ports, time }: Pipeline): () => Promise<void> {
  let written: { readonly ahead: number; readonly local: number } | null = null;
  return async () => {
    if (!time.knowsService()) return;
    const [local, service] = [ports.clock.now(), time.service()];
    const ahead = service - local;
    const isKnown =
      written !== null &&
      Math.abs(ahead - written.ahead) < CLOCK_CHANGE_MS &&
      Math.abs(local - written.local) < CLOCK_NOTE_MS;
    if (isKnown) return;
    await store.soon(() => noteServiceClock(store, connectionId, { service, local }));
    written = { ahead, local };
  };
}

/**
 * Until the pipeline stops, keeps the ledger's waits in step with the gate, and notes the clocks, so that other programs see
 * them. Writes only changes. Rejects when the ledger cannot be written, or is no longer in its place.
 */
export async function noteGate(pipeline: Pipeline): Promise<void> {
  const { store, connectionId, gate, ports, signal } = pipeline;
  const written = new Map<WaitSubject, string>(SUBJECTS.map((subject) => [subject, '?']));
  const noteClock = createClockNote(pipeline);
  const noteBehind = createBehindNote(pipeline);
  while (!signal.aborted) {
    store.checkPlace();
    await noteClock();
    await noteBehind();
    const blocked = new Map(gate.all());
    const changes = SUBJECTS.flatMap((subject) => {
      const found = blocked.get(subject) ?? null;
      const text = found === null ? '' : `${found.error.code} ${found.nextAt}`;
      return written.get(subject) === text ? [] : [{ subject, found, text }];
    });
    if (changes.length > 0) {
      await store.soon(() => {
        for (const { subject, found } of changes) {
          const left = Math.max(0, (found?.nextAt ?? 0) - ports.clock.monotonicMs());
          noteOrClear(pipeline, subject, found?.error ?? null, left);
        }
      });
      for (const { subject, text } of changes) written.set(subject, text);
    }
    await ports.clock.sleep(NOTE_MS, signal);
  }
  await noteClock();
  // The cause of a wait may be gone although nothing was tried again. If there is nothing left to do, nothing waits.
  if (SUBJECTS.every((subject) => written.get(subject) === '') || hasWork(store, connectionId))
    return;
  await store.soon(() => {
    for (const subject of SUBJECTS) clearWait(store, connectionId, subject);
  });
}

/** Clears the notes of what no longer blocks, which `noteGate` would do up to a second later. Call it in a transaction. */
export function clearOpened({ store, connectionId, gate }: Pipeline): void {
  const blocked = new Set(gate.all().map(([subject]) => subject));
  for (const subject of SUBJECTS) {
    if (!blocked.has(subject)) clearWait(store, connectionId, subject);
  }
}

/** True while a file, a job or a result of the connection is unfinished. */
export function hasWork(store: Store, connectionId: number): boolean {
  const sql = `SELECT 1 WHERE EXISTS (SELECT 1 FROM destinations JOIN item_counts ON item_counts.destination_id = destinations.id
         WHERE connection_id = ?1 AND count > 0 AND item_counts.state NOT IN ('confirmed', 'skipped', 'parked'))
       OR EXISTS (SELECT 1 FROM jobs WHERE connection_id = ?1 AND state IN ('planned', 'starting', 'running'))
       OR EXISTS (SELECT 1 FROM outputs WHERE connection_id = ?1 AND state = 'listed')`;
  return store.has(sql, connectionId);
}

/**
 * Requeues items that have been parked long enough because of the service or the network, and looks for items whose delivery was never
 * proved. Returns when to check again, in ms.
 */
export async function retryParked(pipeline: Pipeline, looked: CountsSeen): Promise<number> {
  const { store, connectionId, ports, times, signal } = pipeline;
  const before = ports.clock.now() - times.parkedAgainMs;
  const ids = parkedForService(store, connectionId, null, before);
  for (let from = 0; from < ids.length && !signal.aborted; from += GROUP) {
    const group = ids.slice(from, from + GROUP);
    await store.soon(() => {
      for (const id of group) requeueParked(store, id, ports.clock.now());
    });
    pipeline.changed('plan');
  }
  await confirmUnproven(pipeline, null, before, looked);
  return Math.max(NOTE_MS, times.parkedAgainMs / 4);
}
