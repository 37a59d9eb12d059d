/** What a seed draws: everything that will happen is decided in advance. */
import { basename } from 'node:path';
import { type Character, drawCharacter } from './character.ts';
import { drawName, mediaContent, sameLength } from './content.ts';
import { createDice, type Dice } from './dice.ts';
import { withRenames } from './renames.ts';
import { drawResultEdits, type ResultEdit } from './resultEdits.ts';
import {
  alters,
  hasJobs,
  hasTroubles,
  isWatched,
  killsAtCommits,
  listsRegistered,
  losesLedger,
  mixesPrograms,
  renames,
  restoresLedger,
  sharesVideos,
  shiftsPages,
  takesWeeks,
} from './seedKinds.ts';
import { drawGrowth, drawTroubles, NO_TROUBLES, type Troubles } from './troubles.ts';
import { drawWatch, type WatchPlan } from './watchPlan.ts';
import { drawOutages, type Outage } from './weather.ts';

/** A user's edit of a file; content null deletes it. */
export interface Edit {
  readonly at: number;
  readonly path: string;
  readonly content: Buffer | null;
  /** The file with this content had this path before, and is renamed. */
  readonly from?: string;
  /** Only the first part of the file is there yet. */
  readonly isBeginning?: boolean;
  /** Since when the first part of the file has been there. */
  readonly begunAt?: number;
}

export interface DiskSpell {
  readonly from: number;
  readonly to: number;
  readonly kind: 'full' | 'busy';
}

export interface ComputerPlan {
  readonly name: string;
  readonly batch: string;
  readonly mode: 'auto' | 'single' | 'bulk';
  readonly startAt: number;
  /** Offset of the wall clock from true time at the start, ms. */
  readonly offsetMs: number;
  readonly jumps: readonly { readonly at: number; readonly ms: number }[];
  readonly grainMs: number;
  readonly edits: readonly Edit[];
  /** Lifetime of each process in turn, ms; null if it is not killed. Later processes are not killed. */
  readonly kills: readonly (number | null)[];
  /** The commits to the ledger after which each process in turn is killed, counted from 1. */
  readonly killCommits: readonly number[];
  readonly downMs: number;
  readonly spells: readonly DiskSpell[];
  /** Its watch; null if it uploads. */
  readonly watch: WatchPlan | null;
  /** The ledger is lost after this process, counted from 1; null if it is not lost. */
  readonly ledgerLostAfter: number | null;
  /** A copy of the ledger as it is after this process takes the place of the lost one; null for an empty one. */
  readonly ledgerCopiedAfter: number | null;
  /** What the user does to result files, one edit after each process. */
  readonly resultEdits: readonly ResultEdit[];
  /** At the end the user fetches all results once more, to the same place. */
  readonly fetchesAgain: boolean;
  /** Every other process uploads instead of watching. */
  readonly mixesPrograms: boolean;
  readonly troubles: Troubles;
}

/** A file that another program, which is not Sluice, puts into the batch of the computers. */
export interface Stranger {
  readonly at: number;
  readonly name: string;
  readonly content: Buffer;
  readonly contentType: 'images' | 'videos';
  readonly mode: 'single' | 'bulk';
}

export interface Plan {
  readonly seed: number;
  readonly character: Character;
  readonly computers: readonly ComputerPlan[];
  /** Files that another program puts into the batch. */
  readonly strangers: readonly Stranger[];
  readonly outages: readonly Outage[];
  readonly oddness: number;
  /** Sometimes the service says that it does not know something that it knows. */
  readonly forgetful: boolean;
  /** Upper limit for a watch's run before everything calms down, ms: weeks would be millions of events. */
  readonly longestWatchMs: number;
  /** From this time on nothing fails, no file is edited and nothing is killed. */
  readonly calmAt: number;
}

export const ROOT = '/home/user/photos';
const DAY_MS = 86_400_000;

/** A duration that is as likely to be short as long. */
export function drawSpan(dice: Dice, least: number, most: number): number {
  return Math.round(least * (most / least) ** dice.fraction());
}

interface Common {
  readonly calmAt: number;
  /** They fill one batch, in one mode, with one kind of files: anything else is a conflict that a person must resolve. */
  readonly shared: boolean;
  readonly mode: ComputerPlan['mode'];
  readonly watched: boolean;
  readonly hasJobs: boolean;
  readonly losesLedger: boolean;
  readonly restoresLedger: boolean;
  readonly takesWeeks: boolean;
  readonly killsAtCommits: boolean;
  readonly renames: boolean;
  readonly hasTroubles: boolean;
  readonly mixesPrograms: boolean;
  /** What they fill one batch with, if they do. */
  readonly contentType: 'images' | 'videos';
}

/** `firstNumber`: other numbers give other content under the same names. */
function drawEdits(dice: Dice, common: Common, firstNumber: number): readonly Edit[] {
  const { calmAt, shared } = common;
  const count = shared ? dice.pick([1, 3, 6]) : dice.pick([1, 3, 6, 10, 16, 36]);
  const videos = shared ? Number(common.contentType === 'videos') : dice.pick([0, 0, 0, 0.3, 1]);
  const edits: Edit[] = [];
  for (let number = 1; number <= count; number += 1) {
    const name = drawName(dice, number, dice.chance(videos));
    const copyOf = dice.chance(0.1) ? dice.int(1, number) : number;
    const at = dice.chance(0.8) ? 0 : dice.int(1, calmAt);
    edits.push({ at, path: `${ROOT}/${name}`, content: mediaContent(name, firstNumber + copyOf) });
  }
  const later = dice.pick([0, 0, 1, 3]);
  for (let number = 1; number <= later; number += 1) {
    const target = edits[dice.int(0, edits.length - 1)];
    if (target === undefined) continue;
    const at = drawSpan(dice, 10, calmAt);
    const { path } = target;
    const content = dice.pick([
      null,
      mediaContent(path, firstNumber + 500 + number),
      mediaContent(path, firstNumber + 500 + number),
      target.content === null ? null : sameLength(target.content),
    ]);
    edits.push({ at, path, content });
  }
  const all = common.hasTroubles ? drawGrowth(dice.stream('growth'), edits, calmAt) : edits;
  return common.renames ? withRenames(dice.stream('renames'), all, calmAt) : all;
}

/** After which process the ledger is lost, and after which one the copy was made that takes its place. */
function drawLoss(
  dice: Dice,
  common: Common,
): Pick<ComputerPlan, 'ledgerLostAfter' | 'ledgerCopiedAfter'> {
  if (!common.losesLedger) return { ledgerLostAfter: null, ledgerCopiedAfter: null };
  if (!common.restoresLedger) return { ledgerLostAfter: dice.int(1, 2), ledgerCopiedAfter: null };
  const ledgerLostAfter = dice.int(2, 3);
  return { ledgerLostAfter, ledgerCopiedAfter: dice.int(1, ledgerLostAfter - 1) };
}

function drawKillCommits(dice: Dice): readonly number[] {
  return Array.from({ length: dice.pick([1, 2, 4, 8]) }, () => dice.int(1, dice.pick([6, 20, 60])));
}

function drawComputer(dice: Dice, name: string, common: Common, firstNumber: number): ComputerPlan {
  const { calmAt, shared, mixesPrograms: isMixed } = common;
  const kills = Array.from({ length: dice.pick([0, 0, 1, 2, 4]) }, () =>
    dice.chance(0.85) ? drawSpan(dice, 5, dice.pick([3_000, 60_000, calmAt])) : null,
  );
  const jumps = Array.from({ length: dice.pick([0, 0, 1, 3]) }, () => ({
    at: dice.int(0, calmAt),
    ms: dice.pick([-8 * DAY_MS, 8 * DAY_MS, -3_600_000, 3_600_000, -5_000]),
  }));
  const spells = Array.from({ length: dice.pick([0, 0, 0, 1, 2]) }, () => {
    const from = dice.int(0, Math.floor(calmAt / 2));
    const to = Math.min(calmAt, from + drawSpan(dice, 500, 300_000));
    return { from, to, kind: dice.pick<DiskSpell['kind']>(['full', 'busy']) };
  });
  return {
    name,
    batch: 'cups',
    mode: shared || isMixed ? common.mode : dice.pick(['auto', 'single', 'bulk', 'bulk']),
    startAt: dice.pick([0, 0, 1, 500]) + (shared && dice.chance(0.5) ? dice.int(0, calmAt) : 0),
    offsetMs: dice.pick([0, 0, 0, 8 * DAY_MS, -8 * DAY_MS, -20 * 365 * DAY_MS]),
    jumps,
    grainMs: dice.pick([50, 250, 500]),
    edits: drawEdits(dice.stream('edits'), common, firstNumber),
    kills,
    downMs: common.takesWeeks
      ? drawSpan(dice, 2 * DAY_MS, 9 * DAY_MS)
      : drawSpan(dice, 100, 300_000),
    spells,
    watch: common.watched
      ? drawWatch(dice.stream('watch'), {
          ...common,
          shared: shared || isMixed,
          directory: ROOT,
          batch: 'cups',
        })
      : null,
    killCommits: common.killsAtCommits ? drawKillCommits(dice.stream('commits')) : [],
    ...drawLoss(dice.stream('ledger'), common),
    resultEdits: common.hasJobs ? drawResultEdits(dice.stream('results')) : [],
    fetchesAgain: common.hasJobs && dice.stream('again').chance(0.5),
    mixesPrograms: isMixed,
    troubles: common.hasTroubles ? drawTroubles(dice.stream('troubles'), calmAt) : NO_TROUBLES,
  };
}

/**
 * Not drawn: three or more files whose names the service refuses. By design, Sluice takes that for a refusal of the batch and
 * stops it until a person decides.
 */
function withFewRefusals(character: Character, computers: readonly ComputerPlan[]): Character {
  const { refusesName } = character;
  if (refusesName === null) return character;
  const refused = computers.flatMap(({ edits }) =>
    edits.map(({ path }) => path).filter((path) => path.includes(refusesName)),
  );
  return new Set(refused).size < 3 ? character : { ...character, refusesName: null };
}

function drawStrangers(
  dice: Dice,
  { calmAt, shared, mode, contentType }: Common,
  computers: readonly ComputerPlan[],
): readonly Stranger[] {
  if (!shared || mode === 'auto' || dice.chance(0.6)) return [];
  const names = computers.flatMap(({ edits }) => edits.map(({ path }) => basename(path)));
  const ending = contentType === 'videos' ? 'mkv' : 'jpg';
  return Array.from({ length: dice.int(1, 4) }, (_, index) => {
    const taken = names[dice.int(0, names.length - 1)] ?? 'cup.jpg';
    const name = dice.chance(0.4) ? taken : `stranger-${index}.${ending}`;
    const at = dice.chance(0.3) ? 0 : dice.int(1, calmAt);
    const content = mediaContent(name, 9_000 + index);
    return { at, name, content, contentType, mode: contentType === 'videos' ? 'single' : mode };
  });
}

export function drawPlan(seed: number): Plan {
  const dice = createDice(`plan ${seed}`);
  const soon = dice.pick([20_000, 90_000, 300_000, 1_200_000, 4_800_000]);
  const calmAt = takesWeeks(seed) ? dice.stream('weeks').int(9, 25) * DAY_MS : soon;
  const shared = dice.chance(0.35);
  const names = shared ? ['one', 'two'] : ['one'];
  const common: Common = {
    calmAt,
    shared,
    mode: dice.pick(['single', 'bulk']),
    watched: isWatched(seed),
    hasJobs: hasJobs(seed),
    losesLedger: losesLedger(seed),
    restoresLedger: restoresLedger(seed),
    takesWeeks: takesWeeks(seed),
    killsAtCommits: killsAtCommits(seed),
    renames: renames(seed),
    hasTroubles: hasTroubles(seed),
    mixesPrograms: mixesPrograms(seed),
    contentType: sharesVideos(seed) ? 'videos' : 'images',
  };
  // The same names with different content, or with the same content.
  const apart = dice.chance(0.7) ? 1_000 : 0;
  const computers = names.map((name, index) =>
    drawComputer(dice.stream(name), name, common, index * apart),
  );
  return {
    seed,
    strangers: drawStrangers(dice.stream('strangers'), common, computers),
    character: withFewRefusals(
      drawCharacter(dice.stream('character'), {
        alters: alters(seed),
        shiftsPages: shiftsPages(seed),
        hasTroubles: hasTroubles(seed),
        listsRegistered: listsRegistered(seed),
      }),
      computers,
    ),
    computers,
    outages: drawOutages(dice.stream('outages'), names, calmAt),
    oddness: dice.pick([0, 0.02, 0.1, 0.25]),
    // Without a ledger, a batch that the service claims not to know counts as new: nothing says otherwise.
    forgetful: !losesLedger(seed),
    longestWatchMs: takesWeeks(seed) ? 180_000 : Infinity,
    calmAt,
  };
}
