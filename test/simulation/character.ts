/** How a service behaves where its documents are silent: one character for each seed. */
import type { Dice } from './dice.ts';
import { drawServiceTroubles, NO_SERVICE_TROUBLES, type ServiceTroubles } from './troubles.ts';

export interface Character extends ServiceTroubles {
  /** The longest time from the end of an upload until it is listed, ms; each takes 0.6 to 1 times this. */
  readonly listLagMs: number;
  /** The count shows an upload this much earlier (negative) or later than the list, ms. */
  readonly countLagMs: number;
  /** A body whose answer was lost is stored up to this much later, ms. */
  readonly lateCommitMs: number;
  /** Which checksums the storage states. `oddEtag`: an ETag that looks like an MD5 but is not one. */
  readonly states: 'nothing' | 'goog' | 'etag' | 'oddEtag';
  /** The storage delivers other bytes than it got, of the same length. */
  readonly alters: boolean;
  /** What happens to a second image of the same name in a batch. */
  readonly sameName: 'replaces' | 'both' | 'refuses';
  /** What happens to a second body sent to a signed address. */
  readonly sameAddress: 'replaces' | 'refuses';
  /** Fraction of image POSTs answered 200 and thrown away, at most once for each name. */
  readonly forgets: number;
  /** Fraction of shard members that the service rejects permanently. */
  readonly rejectsMembers: number;
  /** Names that contain this text are refused with 422. */
  readonly refusesName: string | null;
  /** How names are listed: as sent, or in another case or Unicode composition. */
  readonly lists: 'as sent' | 'in lower case' | 'decomposed';
  /** `GET /`, metadata of batches: what the specification does not promise. */
  readonly extras: boolean;
  readonly unknownBatch: 'is 404' | 'is empty';
  /** Shards are listed as soon as they are registered. */
  readonly shardsAtOnce: boolean;
  /** Files in the list name their shard. */
  readonly namesShards: boolean;
  /** Date headers, times of shards. */
  readonly statesTimes: boolean;
  /** Offset of the service's clock from true time, ms. */
  readonly skewMs: number;
  readonly pageSize: number;
  /**
   * How lists are cut into pages. `by name`: after the last name of the page before, so that nothing shifts. Otherwise by position: of all
   * names, or by the time of arrival, where two replicas have files that arrived together in another order.
   */
  readonly pages: 'by name' | 'by position' | 'oldest first' | 'newest first';
  /** Fraction of requests for a page that another replica answers than the one before. */
  readonly switches: number;
  /** How long a signed address is valid, ms, and whether the address says so. */
  readonly addressLifeMs: number;
  readonly tellsExpiry: boolean;
  /** The limit of images per shard that the answer states; null when it states none. */
  readonly maxMembers: number | null;
  readonly jobs: JobCharacter;
}

/** How a service processes jobs. */
export interface JobCharacter {
  /** From the start of a job to its first stage, and from there to its end, ms. */
  readonly queueMs: number;
  readonly runMs: number;
  /** From the end of a job until its results batch appears, ms. */
  readonly exportLateMs: number;
  /** Fraction of jobs that end with an error. */
  readonly fails: number;
  /** Fraction of starts answered 200 and forgotten, at most once for each id. */
  readonly forgets: number;
  readonly results: 'in parts' | 'in parts, one of them empty' | 'in no part';
  readonly mostResults: number;
  /** Stages can be asked for; the status names the batch of results. */
  readonly tellsStages: boolean;
  readonly namesResults: boolean;
  /** How long the address of a result is valid, ms. */
  readonly addressLifeMs: number;
}

const DAY_MS = 86_400_000;

/** True for content that the service always rejects as a member of a shard: the image itself is the cause. */
export function isRejected({ rejectsMembers }: Character, hash: string): boolean {
  return Number.parseInt(hash.slice(-6), 16) / 0xff_ffff < rejectsMembers;
}

export function drawCharacter(
  dice: Dice,
  kinds: Record<'alters' | 'shiftsPages' | 'hasTroubles' | 'listsRegistered', boolean>,
): Character {
  const { alters, shiftsPages, hasTroubles, listsRegistered } = kinds;
  const own: Omit<Character, keyof ServiceTroubles> = {
    listLagMs: dice.pick([50, 50, 2_000, 20_000, 50_000]),
    countLagMs: dice.pick([0, 0, 0, -2_000, 3_000, 15_000]),
    lateCommitMs: dice.pick([0, 0, 2_000, 25_000]),
    states: dice.pick(['nothing', 'nothing', 'goog', 'etag', 'oddEtag']),
    alters,
    sameName: dice.pick(['replaces', 'replaces', 'both', 'refuses']),
    sameAddress: dice.pick(['replaces', 'replaces', 'refuses']),
    forgets: dice.pick([0, 0, 0, 0.1, 0.3]),
    rejectsMembers: dice.pick([0, 0, 0, 0.15]),
    refusesName: dice.pick([null, null, null, '#']),
    lists: dice.pick(['as sent', 'as sent', 'as sent', 'in lower case', 'decomposed']),
    extras: dice.chance(0.6),
    unknownBatch: dice.pick(['is 404', 'is empty']),
    shardsAtOnce: dice.chance(0.5),
    namesShards: dice.chance(0.7),
    statesTimes: dice.chance(0.8),
    skewMs: dice.pick([0, 0, 0, 90_000, -8 * DAY_MS, 8 * DAY_MS]),
    ...drawPages(dice, shiftsPages),
    addressLifeMs: dice.pick([86_400_000, 86_400_000, 900_000, 60_000]),
    tellsExpiry: dice.chance(0.6),
    maxMembers: dice.pick([null, null, null, 5]),
    jobs: drawJobCharacter(dice.stream('jobs')),
  };
  if (!hasTroubles) return { ...own, ...NO_SERVICE_TROUBLES };
  return {
    ...own,
    ...drawServiceTroubles(dice.stream('troubles'), own.lateCommitMs, listsRegistered),
  };
}

function drawPages(dice: Dice, shift: boolean): Pick<Character, 'pageSize' | 'pages' | 'switches'> {
  const pageSize = dice.pick([1000, 1000, 7, 3]);
  if (!shift) return { pageSize, pages: 'by name', switches: 0 };
  const own = dice.stream('pages');
  const pages = own.pick<Character['pages']>(['by position', 'oldest first', 'newest first']);
  return { pageSize: own.pick([3, 7, 20]), pages, switches: own.pick([0.1, 0.9]) };
}

function drawJobCharacter(dice: Dice): JobCharacter {
  return {
    queueMs: dice.pick([100, 5_000, 180_000]),
    runMs: dice.pick([100, 30_000, 900_000]),
    exportLateMs: dice.pick([0, 0, 500, 40_000]),
    fails: dice.pick([0, 0, 0.3]),
    forgets: dice.pick([0, 0, 0.3]),
    results: dice.pick(['in parts', 'in parts', 'in parts, one of them empty', 'in no part']),
    mostResults: dice.pick([1, 3, 12]),
    tellsStages: dice.chance(0.8),
    namesResults: dice.chance(0.5),
    addressLifeMs: dice.pick([86_400_000, 900_000, 20_000]),
  };
}
