/** A rule while it is edited: the contents of its fields, what is wrong with it, and the resulting rule. */
import { formatCount } from '../../../preload/contract/figures.ts';
import {
  ITEMS_PER_BATCH,
  PLACEHOLDER,
  PLACEHOLDERS,
  SEAL_ITEMS,
  SEAL_QUIET_MINUTES,
  SETTLE_MS,
} from '../../../preload/contract/bounds.ts';
import type { WatchRule } from '../../../preload/contract/watchRule.ts';
import { baseName } from '../../text/pathParts.ts';

/** The fields that differ from those of a rule. */
interface Boxes {
  displayName: string;
  /** One pattern per line. */
  include: string;
  exclude: string;
  settleSeconds: number | null;
  quietMinutes: number | null;
  sealItems: number | null;
  sealAt: string;
  workflowId: string;
  downloadTo: string;
  moveTo: string;
}

/** `part` and `link` have no box: the one is set only on the command line, the other belongs to the folder. */
export type RuleDraft = Omit<WatchRule, keyof Boxes | 'settleMs' | 'seal' | 'job'> & Boxes;

export type RuleFaults = Readonly<Partial<Record<keyof RuleDraft, string>>>;

const SECOND_MS = 1000;

export function draftOf({ settleMs, seal, job, ...rule }: WatchRule): RuleDraft {
  return {
    ...rule,
    displayName: rule.displayName ?? '',
    include: rule.include.join('\n'),
    exclude: rule.exclude.join('\n'),
    settleSeconds: settleMs / SECOND_MS,
    quietMinutes: seal.quietMinutes,
    sealItems: seal.items,
    sealAt: seal.at ?? '',
    workflowId: job?.workflowId ?? '',
    downloadTo: rule.downloadTo ?? '',
    moveTo: rule.moveTo ?? '',
  };
}

/** The fields for another folder: a name taken from the folder changes with it, one chosen by the user stays. */
export function withDirectory(draft: RuleDraft, directory: string): RuleDraft {
  const named = draft.name === baseName(draft.directory) ? baseName(directory) : draft.name;
  // The link does not lead to another folder.
  const link = directory === draft.directory ? draft.link : null;
  return { ...draft, directory, link, name: named };
}

/** The rule that the fields describe; job options without a field are unchanged. */
export function ruleOf(draft: RuleDraft, before: WatchRule): WatchRule {
  const { settleSeconds, quietMinutes, sealItems, sealAt, workflowId, ...rule } = draft;
  const workflow = workflowId.trim();
  return {
    ...rule,
    name: rule.name.trim(),
    batch: rule.batch.trim(),
    itemsPerBatch: rule.batch.includes('{n}') ? rule.itemsPerBatch : null,
    displayName: orNull(rule.displayName),
    include: linesOf(rule.include),
    exclude: linesOf(rule.exclude),
    settleMs: Math.round((settleSeconds ?? before.settleMs / SECOND_MS) * SECOND_MS),
    seal: { quietMinutes, items: sealItems, at: orNull(sealAt) },
    job: workflow === '' ? null : { ...before.job, workflowId: workflow },
    downloadTo: orNull(rule.downloadTo),
    moveTo: orNull(rule.moveTo),
    // Not that of the fields, which Svelte wraps in a proxy: no message to main can carry one.
    part: before.part,
  };
}

function isOutside(value: number, { min, max }: { min: number; max: number }): boolean {
  return value < min || value > max;
}

/** What must be fixed before the rule can be saved, by field. */
export function faultsOf(draft: RuleDraft): RuleFaults {
  const faults: Partial<Record<keyof RuleDraft, string>> = {};
  const whole = (key: 'itemsPerBatch' | 'sealItems', most: number): void => {
    const value = draft[key];
    if (value !== null && !(Number.isInteger(value) && value >= 1 && value <= most)) {
      faults[key] = `A whole number from 1 to ${formatCount(most)}.`;
    }
  };
  if (draft.directory === '') faults.directory = 'Choose a folder.';
  if (draft.name.trim() === '') faults.name = 'Enter a name.';
  const unknown = Array.from(draft.batch.matchAll(PLACEHOLDER), ([, name = '']) => name).find(
    (name) => !PLACEHOLDERS.includes(name),
  );
  if (unknown !== undefined) {
    faults.batch = `{${unknown}} stands for nothing. Use ${PLACEHOLDERS.map((name) => `{${name}}`).join(' ')}.`;
  } else if (!/[\p{L}\p{N}]/u.test(draft.batch)) {
    faults.batch = 'Enter a batch name with a letter or a digit.';
  }
  if (draft.batch.includes('{n}') && draft.itemsPerBatch === null) {
    faults.itemsPerBatch = 'With {n}, set how many files each batch holds.';
  }
  whole('itemsPerBatch', ITEMS_PER_BATCH.max);
  whole('sealItems', SEAL_ITEMS.max);
  const { settleSeconds, quietMinutes } = draft;
  if (settleSeconds === null || isOutside(settleSeconds * 1000, SETTLE_MS)) {
    faults.settleSeconds = 'From 1 to 300 seconds.';
  }
  if (quietMinutes !== null && isOutside(quietMinutes, SEAL_QUIET_MINUTES)) {
    faults.quietMinutes = 'At most 10,080 minutes, which is a week.';
  }
  if (linesOf(draft.include).length > 100) faults.include = 'At most 100 patterns.';
  if (linesOf(draft.exclude).length > 100) faults.exclude = 'At most 100 patterns.';
  return faults;
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function orNull(text: string): string | null {
  const trimmed = text.trim();
  return trimmed === '' ? null : trimmed;
}
