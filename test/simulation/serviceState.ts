/** The state of the model service: batches, what was put into them and by whom, and when each part becomes visible. */
import type { Character } from './character.ts';
import type { Dice } from './dice.ts';
import { contentHash } from '../../main/engine/files/contentHash.ts';
import type { Timeline } from './timeline.ts';

/** Something stored in a batch. Times are virtual, ms. */
export interface StoredFile {
  readonly id: number;
  readonly name: string;
  readonly bytes: Buffer;
  readonly hash: string;
  readonly writer: string;
  readonly shardId: string | null;
  readonly arrivedAt: number;
  readonly listedAt: number;
  readonly countedAt: number;
  /** Replaced by a later one, or its shard was sent again. */
  gone: boolean;
}

export interface Shard {
  readonly id: string;
  readonly registeredAt: number;
  arrivedAt: number | null;
  indexedAt: number;
  members: number;
  rejected: readonly string[];
}

export interface Batch {
  readonly id: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  type: 'simple-batch' | 'sharded-batch' | 'multipart-batch';
  contentType: 'images' | 'videos' | 'archives';
  readonly files: StoredFile[];
  /** What is listed of videos that are registered. */
  readonly registered: StoredFile[];
  readonly shards: Shard[];
  /** Names of its parts, whether they hold files or not. */
  readonly parts: string[];
}

/** A job that was started. Times are virtual, ms. */
export interface Job {
  readonly id: string;
  /** The batch as it was when the job started. */
  readonly batch: Batch;
  /** The body that it was started with. */
  readonly body: string;
  readonly startedAt: number;
  readonly endsAt: number;
  readonly fails: boolean;
  /** The files that were listed when it started, and are therefore processed. */
  readonly inputs: readonly StoredFile[];
  /** Its results, once it has ended; empty if it failed. */
  readonly results: StoredFile[];
}

/** A file in transit to a batch. */
export interface Arriving {
  readonly name: string;
  readonly bytes: Buffer;
  readonly writer: string;
  readonly shardId: string | null;
}

export interface ServiceState {
  readonly batches: ReadonlyMap<string, Batch>;
  /** All batches of this id: the current one, and expired ones. */
  generations(id: string): readonly Batch[];
  /** All current and expired batches. */
  everything(): readonly Batch[];
  /** By id. */
  readonly jobs: Map<string, Job>;
  /** Which of two replicas, each with its own order of what arrived together, answered the last request for a page. */
  replica: number;
  /** Does something later. */
  later(ms: number, act: () => void): void;
  batch(id: string, contentType: Batch['contentType'], type: Batch['type']): Batch;
  store(batch: Batch, file: Arriving): StoredFile;
  /** Lists a registered video, without a body. */
  reserve(batch: Batch, name: string): void;
  fileById(id: number): StoredFile | null;
  /** Requests that a client must never make. */
  readonly violations: string[];
  /** Names that were accepted and thrown away, and how often. */
  readonly forgotten: Map<string, number>;
  /** How often content was accepted and thrown away, by the service or in transit. */
  thrownAway(hash: string): number;
  throwAway(hash: string): void;
  now(): number;
}

/** The writer of job results. */
export const SERVICE = 'the service';

export const RETENTION_MS = 7 * 86_400_000;

/** Creates an empty service. */
export function createServiceState(
  timeline: Timeline,
  character: Character,
  dice: Dice,
): ServiceState {
  const batches = new Map<string, Batch>();
  const expired: Batch[] = [];
  const files = new Map<number, StoredFile>();
  const thrown = new Map<string, number>();
  let stored = 0;
  let lastListedAt = 0;
  const expire = (batch: Batch): void => {
    batches.delete(batch.id);
    expired.push(batch);
    for (const { id } of [...batch.files, ...batch.registered]) files.delete(id);
  };
  return {
    batches,
    generations: (id) => [...batches.values(), ...expired].filter((batch) => batch.id === id),
    everything: () => [...batches.values(), ...expired],
    jobs: new Map(),
    replica: 0,
    later: (ms, act) => void timeline.after(ms, act),
    violations: [],
    forgotten: new Map(),
    thrownAway: (hash) => thrown.get(hash) ?? 0,
    throwAway: (hash) => void thrown.set(hash, (thrown.get(hash) ?? 0) + 1),
    now: () => timeline.now(),
    fileById: (id) => files.get(id) ?? null,
    batch: (id, contentType, type) => {
      const known = batches.get(id);
      if (known !== undefined) return known;
      const at = timeline.now();
      const made: Batch = {
        id,
        createdAt: at,
        expiresAt: at + RETENTION_MS,
        type,
        contentType,
        files: [],
        registered: [],
        shards: [],
        parts: [],
      };
      batches.set(id, made);
      timeline.after(RETENTION_MS, () => expire(made));
      return made;
    },
    reserve: (batch, name) => {
      const at = timeline.now();
      const file: StoredFile = {
        id: (stored += 1),
        name,
        bytes: Buffer.alloc(0),
        hash: '',
        writer: '',
        shardId: null,
        arrivedAt: at,
        listedAt: at,
        countedAt: at,
        gone: character.registered === 'gone',
      };
      files.set(file.id, file);
      batch.registered.push(file);
    },
    store: (batch, { name, bytes, writer, shardId }) => {
      const arrivedAt = timeline.now();
      const lag = character.listLagMs * (0.6 + 0.4 * dice.fraction());
      // Later uploads may overtake earlier ones in the list, by less than half a minute.
      const listedAt = Math.max(arrivedAt + lag, lastListedAt - 20_000);
      lastListedAt = Math.max(lastListedAt, listedAt);
      const file: StoredFile = {
        id: (stored += 1),
        name,
        bytes,
        hash: contentHash(bytes),
        writer,
        shardId,
        arrivedAt,
        listedAt,
        // Not drawn: results missing from both the list and the count. Nothing would reveal that they are missing.
        countedAt:
          writer === SERVICE ? arrivedAt : Math.max(arrivedAt, listedAt + character.countLagMs),
        gone: false,
      };
      files.set(file.id, file);
      batch.files.push(file);
      return file;
    },
  };
}

/** Files that exist, whether they are listed yet or not. */
export function presentIn(batch: Batch): readonly StoredFile[] {
  return batch.files.filter(({ gone }) => !gone);
}

/** The same, and what is listed of registered videos while nothing of their names is visible. `isVisible`: of a file that exists. */
export function shownIn(
  batch: Batch,
  isVisible: (file: StoredFile) => boolean,
): readonly StoredFile[] {
  const visible = presentIn(batch).filter(isVisible);
  const names = new Set(visible.map(({ name }) => name));
  return [...visible, ...batch.registered.filter(({ name }) => !names.has(name))];
}

export function hasExpired(state: ServiceState, id: string | null): boolean {
  return state.generations(id ?? '').some(({ expiresAt }) => expiresAt <= state.now());
}
