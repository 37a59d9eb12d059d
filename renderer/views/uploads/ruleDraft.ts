/** A rule while it is edited: the contents of its fields, what is wrong with it, and the resulting rule. */
import { formatCount } from '../../../preload/contract/figures.ts';
import {
  ITEMS_PER_BATCH,
  SEAL_ITEMS,
  SEAL_QUIET_MINUTES,
  SETTLE_MS,
} from '../../../preload/contract/bounds.ts';
import type { WatchRule } from '../../../preload/contract/watchRule.ts';
import { baseName } from '../../text/baseName.ts';

export interface RuleDraft {
  directory: string;
  /** The link that leads to the folder; null for none. */
  link: string | null;
  name: string;
  batch: string;
  itemsPerBatch: number | null;
  displayName: string;
  /** One pattern per line. */
  include: string;
  exclude: string;
  kinds: WatchRule['kinds'];
  existing: boolean;
  mode: WatchRule['mode'];
  followLinks: boolean;
  /** Can be set only on the command line. */
  part: WatchRule['part'];
  settleSeconds: number | null;
  quietMinutes: number | null;
  sealItems: number | null;
  sealAt: string;
  workflowId: string;
  downloadTo: string;
  unpack: boolean;
  moveTo: string;
}

export type RuleFaults = Readonly<Partial<Record<keyof RuleDraft, string>>>;

const SECOND_MS = 1000;

export function draftOf(rule: WatchRule): RuleDraft {
  return {
    directory: rule.directory,
    link: rule.link,
    name: rule.name,
    batch: rule.batch,
    itemsPerBatch: rule.itemsPerBatch,
    displayName: rule.displayName ?? '',
    include: rule.include.join('\n'),
    exclude: rule.exclude.join('\n'),
    kinds: rule.kinds,
    existing: rule.existing,
    mode: rule.mode,
    followLinks: rule.followLinks,
    part: rule.part,
    settleSeconds: rule.settleMs / SECOND_MS,
    quietMinutes: rule.seal.quietMinutes,
    sealItems: rule.seal.items,
    sealAt: rule.seal.at ?? '',
    workflowId: rule.job?.workflowId ?? '',
    downloadTo: rule.downloadTo ?? '',
    unpack: rule.unpack,
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
  const workflowId = draft.workflowId.trim();
  return {
    directory: draft.directory,
    link: draft.link,
    name: draft.name.trim(),
    batch: draft.batch.trim(),
    itemsPerBatch: draft.batch.includes('{n}') ? draft.itemsPerBatch : null,
    displayName: orNull(draft.displayName),
    include: linesOf(draft.include),
    exclude: linesOf(draft.exclude),
    kinds: draft.kinds,
    existing: draft.existing,
    mode: draft.mode,
    followLinks: draft.followLinks,
    part: draft.part,
    settleMs: Math.round((draft.settleSeconds ?? before.settleMs / SECOND_MS) * SECOND_MS),
    seal: { quietMinutes: draft.quietMinutes, items: draft.sealItems, at: orNull(draft.sealAt) },
    job: workflowId === '' ? null : { ...before.job, workflowId },
    downloadTo: orNull(draft.downloadTo),
    unpack: draft.unpack,
    moveTo: orNull(draft.moveTo),
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
  if (draft.batch.trim() === '') faults.batch = 'Enter a batch name.';
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
