/** The service's characters for each area of the exactly-once suites, with times that let a test end within seconds. */
import { CHARACTER_NAMES, type CharacterName } from '../service/characters.ts';
import { otherImage } from '../service/otherComputer.ts';
import type { ReferenceService, ServiceOptions } from '../service/referenceService.ts';
import { isIngesting } from '../service/shards.ts';
import type { Settings } from '../service/settings.ts';
import { TEST_TIMES } from './world.ts';

export type Area = 'uploads' | 'faults' | 'closedLoop' | 'downloads';

/** How late a slow list is in these tests, ms. */
const LISTING_DELAY_MS = 1_200;

/** Times of the pipeline, ms: those about a slow list must be longer than the listing delay of these tests. */
export const CHARACTER_TIMES = {
  ...TEST_TIMES,
  unmeasuredLagMs: 3_000,
  sentPatienceMs: 2_500,
  parkedAgainMs: 2_000,
};

/** Every n-th upload is thrown away: one to four of the uploads in these tests. */
const DROP_EVERY = 9;

const SHORTENED: Readonly<Record<CharacterName, Partial<Settings>>> = {
  quick: {},
  slowToList: { listingDelayMs: LISTING_DELAY_MS },
  noTimes: {},
  oneObjectPerName: {},
  checksums: {},
  drops: { dropEvery: DROP_EVERY },
  behindProxy: { proxyAfterMs: 60, proxyForMs: 1_500 },
  otherClock: {},
  shared: {},
};

const LOOP: Partial<Settings> = { indexingMs: 10, queueMs: 10, stageMs: 40, exportShardSize: 5 };

const OF_AREA: Readonly<Record<Area, Partial<Settings>>> = {
  uploads: {},
  faults: {},
  closedLoop: LOOP,
  downloads: { largestPage: 4 },
};

/** Settings for combinations of area and character that need other numbers. */
const BOTH: Readonly<Record<string, Partial<Settings>>> = {
  'closedLoop behindProxy': { proxyAfterMs: 300, proxyForMs: 2_000 },
  'downloads behindProxy': { proxyAfterMs: 10, proxyForMs: 1_500 },
};

/** All characters for one area: the name for the test's title, and the options of its service. */
export function charactersFor(area: Area): readonly (readonly [CharacterName, ServiceOptions])[] {
  return CHARACTER_NAMES.map((character) => [
    character,
    {
      character,
      settings: { ...OF_AREA[area], ...SHORTENED[character], ...BOTH[`${area} ${character}`] },
    },
  ]);
}

/** A name that identifies path and content: no other computer has it for another content. */
const UNIQUE = /~[0-9a-f]{8}\.[^.]+$/;

/**
 * With one object per name, a second computer replaces one of our files, sent under its own name, before we first ask whether
 * it is there. Other characters are left alone.
 */
export function replaceOneOfOurs(
  service: ReferenceService,
  character: CharacterName,
  batchId: string,
): void {
  if (character !== 'oneObjectPerName') return;
  const { state, otherComputer } = service;
  const replace = async (name: string): Promise<void> => {
    const theirs = { name, bytes: otherImage(1) };
    const batch = state.batch(batchId);
    if (batch?.type === 'sharded-batch') {
      await otherComputer.uploadShard(batchId, [theirs]);
      // Their shard replaces ours when it is indexed; an earlier answer would correctly show ours.
      while (isIngesting(batch)) await state.clock.wait(5);
    } else await otherComputer.uploadImage(batchId, theirs.name, theirs.bytes);
  };
  // Every question waits for it, including those of a program that is restarted after a kill.
  let replacing: Promise<void> | null = null;
  const path = new RegExp(`/batches/${batchId}/(count|list|shards)$`);
  service.onRequest({ method: 'GET', path }, async () => {
    const ours = state.objects(batchId).filter(({ writer }) => writer === 'client');
    const victim = ours.find(({ name }) => !UNIQUE.test(name));
    if (victim !== undefined) replacing ??= replace(victim.name);
    await replacing;
  });
}
