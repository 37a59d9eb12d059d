/** What the model service accepts: images, and registrations of videos and shards. */
import { fileInForm } from './bodies.ts';
import { contentHash } from '../../main/engine/files/contentHash.ts';
import {
  json,
  refusal,
  type Route,
  type ServiceAnswer,
  type ServiceRequest,
} from './serviceWords.ts';
import { presentIn } from './serviceState.ts';
import type { RouteGround } from './serviceWords.ts';
import type { Storage } from './storage.ts';

const BATCH_ID = /^[a-z0-9_-]{1,64}$/;
const MOST_FORGOTTEN = 1;

export function createStagingWrites(
  { state, character, dice }: RouteGround,
  storage: Storage,
): Route {
  const isRefused = (name: string): boolean =>
    character.refusesName !== null && name.includes(character.refusesName);
  const isForgotten = (place: string): boolean => {
    const times = state.forgotten.get(place) ?? 0;
    if (times >= MOST_FORGOTTEN || !dice.chance(character.forgets)) return false;
    state.forgotten.set(place, times + 1);
    return true;
  };

  const image = ({ url, headers, body, writer }: ServiceRequest, id: string): ServiceAnswer => {
    const name = url.searchParams.get('fileName') ?? '';
    if (name === '') return refusal(400, 'fileName is missing');
    const known = state.batches.get(id);
    if (known !== undefined && (known.type !== 'simple-batch' || known.contentType !== 'images'))
      return refusal(400, 'the batch holds something else');
    if (isRefused(name)) return refusal(422, 'a name that is not taken');
    const bytes = fileInForm(headers['content-type'] ?? '', body);
    if (bytes === null) return refusal(400, 'no file in the form');
    const batch = state.batch(id, 'images', 'simple-batch');
    const same = presentIn(batch).filter((file) => file.name === name);
    if (same.length > 0 && character.sameName === 'refuses')
      return refusal(409, 'there is a file of this name');
    if (isForgotten(`${id}/${name}`)) {
      state.throwAway(contentHash(bytes));
      return json(200, { status: 'ok' });
    }
    if (character.keepsOlder && same.length > 0) {
      if (same.every(({ hash }) => hash !== contentHash(bytes)))
        state.throwAway(contentHash(bytes));
      return json(200, { status: 'ok' });
    }
    if (character.sameName === 'replaces') for (const file of same) file.gone = true;
    state.store(batch, { name, bytes, writer, shardId: null });
    return json(200, { status: 'ok' });
  };

  const video = ({ url, writer }: ServiceRequest, id: string): ServiceAnswer => {
    const name = url.searchParams.get('fileName') ?? '';
    if (name === '') return refusal(400, 'fileName is missing');
    if (isRefused(name)) return refusal(422, 'a name that is not taken');
    const known = state.batches.get(id);
    if (known !== undefined && known.contentType !== 'videos')
      return refusal(400, 'the batch holds something else');
    return storage.register({ kind: 'video', batchId: id, name, writer });
  };

  const shard = ({ writer }: ServiceRequest, id: string): ServiceAnswer => {
    const known = state.batches.get(id);
    if (known !== undefined && known.type !== 'sharded-batch')
      return refusal(400, 'the batch holds something else');
    const batch = state.batch(id, 'images', 'sharded-batch');
    const made = {
      id: `shard-${String(batch.shards.length + 1).padStart(4, '0')}-${dice.token(4)}`,
      registeredAt: state.now(),
      arrivedAt: null,
      indexedAt: 0,
      members: 0,
      rejected: [],
    };
    batch.shards.push(made);
    return storage.register({ kind: 'shard', batchId: id, name: made.id, writer });
  };

  return (request, [family, kind, id, what, detail]) => {
    if (request.method !== 'POST' || family !== 'data-staging' || kind !== 'batches') return null;
    if (id === undefined || !BATCH_ID.test(id)) return refusal(400, 'no batch id');
    if (what === 'upload' && detail === 'image') return image(request, id);
    if (what === 'upload' && detail === 'video') return video(request, id);
    if (what === 'bulk-upload' && detail === 'image-files') return shard(request, id);
    return null;
  };
}
