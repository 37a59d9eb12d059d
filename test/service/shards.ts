/** How shards are created, and their status. */
import type { Service } from './service.ts';
import type { Batch, Shard, ShardStatus, Writer } from './state.ts';

export function openShard(service: Service, batch: Batch, writer: Writer): Shard {
  const at = service.state.clock.now();
  const status: ShardStatus = {
    statusName: 'registered',
    statusType: 'info',
    eventAt: at,
    objectsCount: 0,
    metadata: null,
  };
  const shard: Shard = {
    shardId: service.state.newId('s'),
    writer,
    receivedAt: null,
    archive: null,
    history: [status],
    ...status,
  };
  batch.shards.push(shard);
  return shard;
}

/** Records that the shard is being indexed from now on. */
export function receiveShard(service: Service, shard: Shard): void {
  shard.receivedAt = service.state.clock.now();
  move(service, shard, { statusName: 'indexing', statusType: 'info', objectsCount: 0 }, null);
}

/** Records how the indexing of the shard ended. */
export function endShard(
  service: Service,
  shard: Shard,
  statusName: ShardStatus['statusName'],
  objectsCount: number,
  metadata: ShardStatus['metadata'],
): void {
  const statusType = statusName === 'indexed' ? 'success' : 'error';
  move(service, shard, { statusName, statusType, objectsCount }, metadata);
}

function move(
  service: Service,
  shard: Shard,
  said: Pick<ShardStatus, 'statusName' | 'statusType' | 'objectsCount'>,
  metadata: ShardStatus['metadata'],
): void {
  const status: ShardStatus = { ...said, metadata, eventAt: service.state.clock.now() };
  Object.assign(shard, status);
  shard.history.push(status);
}

/** True while a shard of the batch has arrived and is not indexed yet. */
export function isIngesting(batch: Batch): boolean {
  return batch.shards.some((shard) => shard.receivedAt !== null && shard.statusType === 'info');
}
