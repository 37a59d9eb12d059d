/** What a seed draws of a watch: its rule, how a person changes it meanwhile, and when they pause it. */
import { standardRule } from '../../preload/contract/standardRule.ts';
import type { WatchRule } from '../../preload/contract/watchRule.ts';
import type { Dice } from './dice.ts';

/** From `at` on the rule is this one. */
export interface RuleEdit {
  readonly at: number;
  readonly rule: WatchRule;
}

export interface WatchPlan {
  /** In their order; the first is the rule that the watch is added with. */
  readonly rules: readonly [RuleEdit, ...RuleEdit[]];
  readonly pauses: readonly { readonly from: number; readonly to: number }[];
}

/** What the watches of a seed have in common. */
export interface WatchGround {
  readonly directory: string;
  readonly calmAt: number;
  /** Several computers fill one batch: its id stays. */
  readonly shared: boolean;
  readonly batch: string;
  readonly mode: WatchRule['mode'];
}

/**
 * Seeds in which a watch runs instead of uploads: a quarter, chosen so that the seeds that were found before watches were
 * drawn stay what they were.
 */
export function isWatched(seed: number): boolean {
  return seed % 8 === 5 || seed % 7 === 1;
}

function drawRule(dice: Dice, { directory, shared, batch, mode }: WatchGround): WatchRule {
  const template = dice.pick([
    batch,
    batch,
    `${batch}-{date}`,
    `${batch}-{folder}`,
    `${batch}-{n}`,
  ]);
  const id = shared ? batch : template;
  return {
    ...standardRule(directory, 'cups', dice.pick([1_000, 5_000, 30_000])),
    batch: id,
    itemsPerBatch: id.includes('{n}') ? dice.pick([1, 3, 10]) : null,
    mode: shared ? mode : dice.pick(['auto', 'single', 'bulk']),
    seal: {
      quietMinutes: dice.pick([null, null, 0.05, 2]),
      items: dice.pick([null, null, 1, 4]),
      at: dice.pick([null, null, '08:05']),
    },
  };
}

/**
 * Draws a watch. Not drawn: rules that leave out files (the checks could not tell what was left out by mistake), jobs and
 * moved sources.
 */
export function drawWatch(dice: Dice, ground: WatchGround): WatchPlan {
  const { calmAt } = ground;
  const first = { at: 0, rule: drawRule(dice, ground) };
  const later = Array.from({ length: dice.pick([0, 0, 1, 2, 5]) }, () => ({
    at: dice.int(1, calmAt),
    rule: drawRule(dice, ground),
  })).sort((a, b) => a.at - b.at);
  const pauses = Array.from({ length: dice.pick([0, 0, 0, 1]) }, () => {
    const from = dice.int(0, calmAt);
    return { from, to: Math.min(calmAt, from + dice.int(1_000, 300_000)) };
  });
  return { rules: [first, ...later], pauses };
}
