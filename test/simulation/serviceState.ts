/** What the model service keeps: batches, what was put into them and by whom, and when each of it shows. */
import type { Character } from './character.ts';
import type { Dice } from './dice.ts';
import { sha256Hex } from './disk.ts';
import type { Timeline } from './timeline.ts';

/** Something stored in a batch. Instants are virtual time, ms. */
export interface StoredFile {
  readonly id: number;
  readonly name: string;
  readonly bytes: Buffer;
  readonly sha256: string;
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
  readonly writer: string;
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
  readonly shards: Shard[];
}

/** A file on its way into a batch. */
export interface Arriving {
  readonly name: string;
  readonly bytes: Buffer;
  readonly writer: string;
  readonly shardId: string | null;
}

export interface ServiceState {
  readonly batches: ReadonlyMap<string, Batch>;
  batch(id: string, contentType: Batch['contentType'], type: Batch['type']): Batch;
  store(batch: Batch, file: Arriving): StoredFile;
  fileById(id: number): StoredFile | null;
  /** Requests that a client must never make. */
  readonly violations: string[];
  /** Names that were accepted and thrown away, with how often. */
  readonly forgotten: Map<string, number>;
  now(): number;
}

const RETENTION_MS = 7 * 86_400_000;

/** Makes an empty service. */
export function createServiceState(
  timeline: Timeline,
  character: Character,
  dice: Dice,
): ServiceState {
  const batches = new Map<string, Batch>();
  const files = new Map<number, StoredFile>();
  let lastListedAt = 0;
  return {
    batches,
    violations: [],
    forgotten: new Map(),
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
        shards: [],
      };
      batches.set(id, made);
      return made;
    },
    store: (batch, { name, bytes, writer, shardId }) => {
      const arrivedAt = timeline.now();
      const lag = character.listLagMs * (0.6 + 0.4 * dice.fraction());
      // Later uploads may overtake earlier ones in the list, by less than half a minute.
      const listedAt = Math.max(arrivedAt + lag, lastListedAt - 20_000);
      lastListedAt = Math.max(lastListedAt, listedAt);
      const file: StoredFile = {
        id: files.size + 1,
        name,
        bytes,
        sha256: sha256Hex(bytes),
        writer,
        shardId,
        arrivedAt,
        listedAt,
        countedAt: Math.max(arrivedAt, listedAt + character.countLagMs),
        gone: false,
      };
      files.set(file.id, file);
      batch.files.push(file);
      return file;
    },
  };
}

/** Files that are there, whether they are listed yet or not. */
export function presentIn(batch: Batch): readonly StoredFile[] {
  return batch.files.filter(({ gone }) => !gone);
}
