/** What counts and lists show: everything at once, or, depending on the settings, only what happened long enough ago. */
import type { Service } from './service.ts';
import type { Batch, Shard, ShardStatus, StoredObject } from './state.ts';

/** Only what happened until this time is shown, epoch ms; null when everything is shown at once. */
function horizon(service: Service): number | null {
  const { clock, settings } = service.state;
  return settings.listingDelayMs > 0 ? clock.now() - settings.listingDelayMs : null;
}

/** The objects that lists and counts show, in order of arrival. The output of a job appears part by part. */
export function shownObjects(service: Service, batch: Batch): readonly StoredObject[] {
  const until = horizon(service);
  if (until === null) return batch.objects;
  const isOutput = batch.type === 'multipart-batch';
  const late = new Set(
    batch.objects.filter(({ arrivedAt }) => arrivedAt > until).map(({ partName }) => partName),
  );
  return batch.objects.filter((object) =>
    isOutput ? !late.has(object.partName) : object.arrivedAt <= until,
  );
}

export function shownShards(
  service: Service,
  batch: Batch,
): readonly (Pick<Shard, 'shardId'> & Readonly<ShardStatus>)[] {
  const until = horizon(service);
  if (until === null) return batch.shards;
  return batch.shards.flatMap(({ shardId, history }) => {
    const said = history.findLast(({ eventAt }) => eventAt <= until);
    return said === undefined ? [] : [{ shardId, ...said }];
  });
}
