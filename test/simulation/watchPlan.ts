/** What a seed draws for a watch: its rule, how a person edits it meanwhile, when they pause it, and what happens next. */
import { standardRule } from '../../preload/contract/standardRule.ts';
import type { WatchRule } from '../../preload/contract/watchRule.ts';
import type { Dice } from './dice.ts';
import { FILTERS } from './filters.ts';

export interface RuleEdit {
  readonly at: number;
  readonly rule: WatchRule;
}

export interface WatchPlan {
  /** In order; the watch is added with the first. */
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
  /** It starts jobs, fetches their results and leaves files out. */
  readonly hasJobs: boolean;
}

/** Where results go, with a directory for each batch. */
export const RESULTS = '/home/user/results';

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
 * Adds to a rule what it leaves out and what happens next. Not drawn: jobs on a batch of several computers, each of which would
 * process it.
 */
function withMore(dice: Dice, { hasJobs, shared }: WatchGround, rule: WatchRule): WatchRule {
  if (!hasJobs) return rule;
  const filter = dice.chance(0.5) ? dice.pick(FILTERS) : null;
  const chosen = filter === null ? rule : { ...rule, ...filter.rule };
  if (shared || dice.chance(0.2)) return chosen;
  return {
    ...chosen,
    job: { workflowId: dice.pick(['count-cups', 'count-cups', 'find-cracks']) },
    downloadTo: dice.chance(0.9) ? RESULTS : null,
  };
}

/** Draws a watch. Not drawn: moved sources. */
export function drawWatch(dice: Dice, ground: WatchGround): WatchPlan {
  const { calmAt } = ground;
  const more = dice.stream('more');
  const draw = (): WatchRule => withMore(more, ground, drawRule(dice, ground));
  const first = { at: 0, rule: draw() };
  const later = Array.from({ length: dice.pick([0, 0, 1, 2, 5]) }, () => ({
    at: dice.int(1, calmAt),
    rule: draw(),
  })).sort((a, b) => a.at - b.at);
  const pauses = Array.from({ length: dice.pick([0, 0, 0, 1]) }, () => {
    const from = dice.int(0, calmAt);
    return { from, to: Math.min(calmAt, from + dice.int(1_000, 300_000)) };
  });
  return { rules: [first, ...later], pauses };
}
