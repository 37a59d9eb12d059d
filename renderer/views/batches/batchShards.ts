import type { ShardDetails } from '../../../preload/contract/serviceRecords.ts';
import type { StateWords } from './itemStates.ts';
import { formatCount } from '../../../preload/contract/figures.ts';

const WORDS: Readonly<Record<ShardDetails['status'], Omit<StateWords, 'meaning'>>> = {
  running: { word: 'In work', tone: 'moving' },
  succeeded: { word: 'Indexed', tone: 'confirmed' },
  failed: { word: 'Refused', tone: 'needs' },
  unknown: { word: 'Unknown', tone: 'waiting' },
};

/** The words for a shard's state; its meaning is the service's own name for it. */
export function shardState(shard: Pick<ShardDetails, 'status' | 'statusName'>): StateWords {
  return { ...WORDS[shard.status], meaning: `The service says: ${shard.statusName}` };
}

/** Shards by how they ended: "40 taken in, 1 in work, 1 refused". */
export function shardSummary(shards: readonly ShardDetails[]): string {
  const parts = (['succeeded', 'running', 'failed', 'unknown'] as const).flatMap((status) => {
    const count = shards.filter((shard) => shard.status === status).length;
    return count === 0 ? [] : [`${formatCount(count)} ${WORDS[status].word.toLowerCase()}`];
  });
  return parts.join(', ');
}

const FIRST: Readonly<Record<ShardDetails['status'], number>> = {
  failed: 0,
  unknown: 1,
  running: 2,
  succeeded: 3,
};

/** What needs attention first, then what is in progress, then the newest. */
export function orderedShards(shards: readonly ShardDetails[]): readonly ShardDetails[] {
  return shards.toSorted((a, b) => FIRST[a.status] - FIRST[b.status] || b.eventAt - a.eventAt);
}
