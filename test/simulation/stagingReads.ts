/** What the model service reports about batches: counts, shards, files, metadata. */
import type { Character } from './character.ts';
import { sha256Hex } from './disk.ts';
import { type Batch, type Shard, shownIn, type StoredFile } from './serviceState.ts';
import {
  json,
  refusal,
  type Route,
  type RouteGround,
  type ServiceAnswer,
  serviceDate,
} from './serviceWords.ts';
import type { Storage } from './storage.ts';

interface Page<T> {
  readonly rows: readonly T[];
  readonly nextPageToken: string | null;
}

/** What identifies a row, and when it arrived. */
interface Ranks<T> {
  readonly keyOf: (row: T) => string;
  readonly arrivedAt: (row: T) => number;
  /** Several replicas answer, each with its own order of what arrived together. */
  readonly isReplicated: boolean;
}

/** One page of a list whose cursor is a position: it repeats rows, or leaves some out, when the order changes between two pages. */
function pageAt<T>(
  rows: readonly T[],
  { keyOf, arrivedAt, isReplicated }: Ranks<T>,
  after: string | null,
  { character: { pages, pageSize, switches }, dice, state }: RouteGround,
): Page<T> {
  const forward = pages === 'newest first' ? -1 : 1;
  const start = Number(after ?? 0);
  if (isReplicated && dice.chance(switches)) state.replica = 1 - state.replica;
  const replica = isReplicated ? state.replica : 0;
  const tieOf = (key: string): string =>
    pages === 'by position' ? key : sha256Hex(Buffer.from(`${key} ${replica}`));
  const sorted = rows
    .map((row) => ({
      row,
      rank: pages === 'by position' ? 0 : arrivedAt(row) * forward,
      tie: tieOf(keyOf(row)),
    }))
    .sort((a, b) => a.rank - b.rank || (a.tie < b.tie ? -1 : 1))
    .map(({ row }) => row);
  const end = start + pageSize;
  return {
    rows: sorted.slice(start, end),
    nextPageToken: end < sorted.length ? String(end) : null,
  };
}

/** One page of a list. By name, its cursor is the last returned key, so that it is stable while the list grows. */
function pageOf<T>(
  rows: readonly T[],
  ranks: Ranks<T>,
  after: string | null,
  ground: RouteGround,
): Page<T> {
  const { pages, pageSize: size } = ground.character;
  const { keyOf } = ranks;
  if (pages !== 'by name') return pageAt(rows, ranks, after, ground);
  const sorted = rows
    .map((row) => ({ row, key: keyOf(row) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const rest = after === null ? sorted : sorted.filter(({ key }) => key > after);
  const page = rest.slice(0, size);
  const last = page.at(-1);
  return {
    rows: page.map(({ row }) => row),
    nextPageToken: rest.length > size && last !== undefined ? last.key : null,
  };
}

function listedName(character: Character, name: string): string {
  if (character.lists === 'in lower case') return name.toLowerCase();
  return character.lists === 'decomposed' ? name.normalize('NFD') : name;
}

function shardView({ state, character }: RouteGround, shard: Shard): unknown {
  const isDone = shard.arrivedAt !== null && shard.indexedAt <= state.now();
  const failed = isDone && shard.members > 0 && shard.rejected.length === shard.members;
  const errors = shard.rejected.map((fileName) => ({ file_name: fileName, reason: 'unreadable' }));
  return {
    shardId: shard.id,
    statusName: isDone ? 'ingested' : 'pending',
    statusType: isDone ? (failed ? 'error' : 'success') : 'info',
    ...(character.statesTimes
      ? { eventTimestamp: serviceDate(character, shard.arrivedAt ?? shard.registeredAt) }
      : {}),
    shardObjectsCount: isDone ? shard.members - shard.rejected.length : 0,
    statusMetadata: isDone && errors.length > 0 ? { failed_files: errors } : null,
  };
}

function metadata({ character }: RouteGround, batch: Batch): ServiceAnswer {
  return json(200, {
    status: 'ok',
    batch: {
      displayName: batch.id,
      batchId: batch.id,
      batchType: batch.type,
      batchContentType: batch.contentType,
      createdDate: serviceDate(character, batch.createdAt),
      expiryDate: serviceDate(character, batch.expiresAt),
    },
  });
}

export function createStagingReads(ground: RouteGround, storage: Storage): Route {
  const { state, character, dice } = ground;
  const replica = dice.stream('replicas');
  /** The time that an answer about a batch shows. Not drawn for results, see `store` in serviceState.ts. */
  const shownAt = (batch: Batch | null): number => {
    const { replicaLagMs: lag } = character;
    const isLate = lag > 0 && batch?.contentType !== 'archives' && replica.chance(0.5);
    return state.now() - (isLate ? lag : 0);
  };
  const files = (batch: Batch | null, after: string | null, part: string | null): ServiceAnswer => {
    const now = shownAt(batch);
    const isListed = ({ listedAt, shardId }: StoredFile): boolean =>
      listedAt <= now && (batch?.type !== 'multipart-batch' || part === shardId);
    const listed = batch === null ? [] : shownIn(batch, isListed);
    const page = pageOf(
      listed,
      {
        keyOf: ({ name, id }) => `${name}/${String(id)}`,
        arrivedAt: (file) => file.arrivedAt,
        // Not drawn for results: if the same pages come from the same replicas in each reading, nothing distinguishes the list from one that
        // really shows a file twice.
        isReplicated: batch?.contentType !== 'archives',
      },
      after,
      ground,
    );
    return json(200, {
      status: 'ok',
      nextPageToken: page.nextPageToken,
      filesMetadata: page.rows.map((file) => ({
        downloadURL: storage.addressOf(file),
        fileName: listedName(character, file.name),
        contentType: batch?.contentType ?? 'images',
        partName: batch?.type === 'multipart-batch' ? file.shardId : null,
        shardId: character.namesShards && batch?.type === 'sharded-batch' ? file.shardId : null,
        nestedContentType: null,
      })),
    });
  };
  return ({ method, url }, [family, kind, id, what]) => {
    if (method !== 'GET' || family !== 'data-staging' || kind !== 'batches') return null;
    if (id === undefined) return refusal(404, 'not found');
    const batch = state.batches.get(id) ?? null;
    const isOffered = ['count', 'shards', 'list', 'parts'].includes(what ?? '');
    if (what === undefined && !character.extras) return refusal(404, 'not found');
    if (batch === null && (character.unknownBatch === 'is 404' || !isOffered))
      return refusal(404, 'no such batch');
    const after = url.searchParams.get('nextPageToken');
    const part = url.searchParams.get('partName');
    switch (what) {
      case undefined:
        return batch === null ? null : metadata(ground, batch);
      case 'count': {
        const now = shownAt(batch);
        const isCounted = ({ countedAt, shardId }: StoredFile): boolean =>
          countedAt <= now && (part === null || part === shardId);
        const count = batch === null ? 0 : shownIn(batch, isCounted).length;
        return json(200, { status: 'ok', count });
      }
      case 'shards': {
        const shards = (batch?.shards ?? []).filter(
          ({ arrivedAt }) => arrivedAt !== null || character.shardsAtOnce,
        );
        const page = pageOf(
          shards,
          {
            keyOf: ({ id: own }) => own,
            arrivedAt: (shard) => shard.registeredAt,
            isReplicated: true,
          },
          after,
          ground,
        );
        return json(200, {
          status: 'ok',
          nextPageToken: page.nextPageToken,
          shards: page.rows.map((shard) => shardView(ground, shard)),
        });
      }
      case 'list':
        return files(batch, after, part);
      case 'parts': {
        const batchParts = (batch?.parts ?? []).map((partName) => ({
          partName,
          partType: 'simple-batch',
          contentType: 'archives',
          partDescription: null,
          nestedContentType: null,
        }));
        return json(200, { status: 'ok', batchParts });
      }
      default:
        return null;
    }
  };
}
