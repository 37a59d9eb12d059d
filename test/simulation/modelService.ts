/** The model of the service, written only from its documents: its answer to each request. */
import type { Character } from './character.ts';
import { EPOCH_MS } from './clocks.ts';
import type { Dice } from './dice.ts';
import { createProcessing } from './processing.ts';
import { createServiceState } from './serviceState.ts';
import {
  json,
  KEY,
  refusal,
  type Route,
  type ServiceAnswer,
  type ServiceRequest,
  STORAGE_URL,
  WORKSPACE,
} from './serviceWords.ts';
import { createStagingReads } from './stagingReads.ts';
import { createStagingWrites } from './stagingWrites.ts';
import { createStorage } from './storage.ts';
import type { Timeline } from './timeline.ts';

function hasKey({ url, headers }: ServiceRequest): boolean {
  return url.searchParams.get('api_key') === KEY || headers['authorization'] === `Bearer ${KEY}`;
}

export function createModelService(timeline: Timeline, character: Character, dice: Dice) {
  const state = createServiceState(timeline, character, dice.stream('state'));
  const ground = { state, character, dice: dice.stream('routes') };
  const storage = createStorage(ground);
  const routes: readonly Route[] = [
    createStagingWrites(ground, storage),
    createStagingReads(ground, storage),
    createProcessing({ ...ground, dice: dice.stream('jobs') }),
  ];
  const answerApi = (request: ServiceRequest): ServiceAnswer => {
    if (!hasKey(request)) return refusal(401, 'no such key');
    const [head = '', ...rest] = request.url.pathname.split('/').slice(1).map(decodeURIComponent);
    if (head === '' && rest.length === 0)
      return character.extras ? json(200, { workspace: WORKSPACE }) : refusal(404, 'not found');
    const [version, external, workspace, ...place] = rest;
    if (version !== 'v1' || external !== 'external' || workspace !== WORKSPACE)
      return refusal(404, 'not found');
    for (const route of routes) {
      const answer = route(request, [head, ...place]);
      if (answer !== null) return answer;
    }
    return refusal(404, 'not found');
  };
  return {
    state,
    /** Two images of the same name in a batch stay both. */
    keepsBoth: character.sameName === 'both' && !character.keepsOlder,
    handle: (request: ServiceRequest) => {
      const isStorage = request.url.origin === STORAGE_URL;
      if (isStorage) return storage.handle(request);
      const answer = answerApi(request);
      const date = new Date(EPOCH_MS + character.skewMs + timeline.now()).toUTCString();
      return character.statesTimes ? { ...answer, headers: { ...answer.headers, date } } : answer;
    },
  };
}

export type ModelService = ReturnType<typeof createModelService>;
