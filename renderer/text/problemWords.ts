/** What the window says about a group of problems: what happened, whether the files are safe, and what to do. */
import type { ErrorCode } from '../../preload/contract/errors.ts';
import { wordsFor } from './errorWords.ts';
import { countOf, formatCount, needAttention } from '../../preload/contract/figures.ts';
import type { ProblemGroup } from '../../preload/contract/records.ts';

export interface ProblemWords {
  readonly happened: string;
  readonly safe: string;
  readonly todo: string;
}

/** A longer message of the service is shown below the title. */
const QUOTE_MAX = 120;

const UNTOUCHED = 'Not uploaded. Nothing on this computer was changed.';

/** Beyond UNTOUCHED, for the reasons that a file can need a person for. */
const SAFE: Partial<Record<ErrorCode, string>> = {
  'upload.unproven':
    'Nothing on this computer was changed. What the service has is not known, so nothing is sent again by itself.',
  'service.noAnswer':
    'Nothing on this computer was changed. Sluice asks the service what arrived before it sends anything again.',
  'item.truncated':
    'Not uploaded. Nothing on this computer was changed: the end was missing already.',
};

/** What happened to several files, and what to do, where the general texts are about one. */
const SEVERAL: Partial<Record<ErrorCode, { readonly happened: string; readonly todo?: string }>> = {
  'upload.unproven': { happened: 'It is not certain whether these files arrived.' },
  'shard.rejected': { happened: 'The service did not take these files from their archives.' },
  'item.truncated': {
    happened: 'The files are incomplete: their ends are missing.',
    todo: 'Replace the files. In a watched folder they are then uploaded automatically; otherwise, try again.',
  },
  'item.unreadable': {
    happened: 'The files cannot be read.',
    todo: 'Give this user permission to read them, then try again.',
  },
  'directory.unreadable': {
    happened: 'The folders cannot be read, so their files are not uploaded.',
    todo: 'Give this user permission to read them, then try again.',
  },
  'item.unstable': { happened: 'The files keep changing while they are read.' },
  'item.tooLarge': {
    happened: 'The images are larger than the service accepts (20 MiB).',
    todo: 'Make them smaller, or export them with stronger compression.',
  },
  'item.rejected': {
    happened: 'The service does not accept these files.',
    todo: 'Replace the files or leave them out.',
  },
};

/** What to do in the window, where the general texts name commands. */
const NEXT_STEPS: Partial<Record<ErrorCode, string>> = {
  'auth.rejected': 'Enter a valid key in Settings under Workspaces; queued files continue with it.',
  'directory.unreadable': 'Give this user permission to read the folder, then try again.',
  'disk.full': 'Free some space, then try again.',
  'disk.failed': 'Check the permissions and the health of the disk, then try again.',
  'upload.unproven':
    'Check the batch at the service. Mark as delivered what is there, and send the rest again: what is there already would be there twice.',
  'shard.rejected': 'Replace what cannot be used, or try again: nothing else is sent.',
  'usage.invalid': 'Check the rule of the watch and its batch name, then try again.',
  'bug.illegalTransition':
    'Try again. If it happens again, copy the support report in Settings and report the bug.',
  'bug.unexpected':
    'Try again. If it happens again, copy the support report in Settings and report the bug.',
};

/** What the problems of a group are about: how many files are in a folder that cannot be read is not known. */
export function problemCount({ code, count }: Pick<ProblemGroup, 'code' | 'count'>): string {
  return countOf(count, code === 'directory.unreadable' ? 'folder' : 'file');
}

/** The title of a group: what happened, with the service's message if that is what explains it. */
export function problemTitle({
  code,
  detail,
  count,
}: Pick<ProblemGroup, 'code' | 'detail' | 'count'>): {
  readonly title: string;
  readonly quoted: boolean;
} {
  const { happened } = problemWords(code, count);
  const quote = quoteWords(detail)?.quote ?? null;
  if (code !== 'service.refused' || quote === null || quote.length > QUOTE_MAX) {
    return { title: happened, quoted: false };
  }
  return { title: `The service refused this: “${quote}”`, quoted: true };
}

/** About `count` files. */
export function problemWords(code: ErrorCode, count: number): ProblemWords {
  const words = wordsFor({ code, context: {} });
  const several = count === 1 ? undefined : SEVERAL[code];
  return {
    // Whether the file is safe is said below; in the window, directories are folders.
    happened:
      several?.happened ??
      words.message.replace(' Your file is safe.', '').replace('The directory', 'The folder'),
    safe: SAFE[code] ?? UNTOUCHED,
    todo: several?.todo ?? NEXT_STEPS[code] ?? words.hint,
  };
}

export function unprovenActionWords(
  decided: number,
  count: number,
): { readonly again: string; readonly delivered: string } {
  if (count === 1) return { again: 'Send again (may duplicate)', delivered: 'Mark as delivered' };
  const whom = decided < count ? `${formatCount(decided)} of them` : `all ${formatCount(count)}`;
  return { again: `Send ${whom} again (may duplicate)`, delivered: `Mark ${whom} as delivered` };
}

/** The button that ignores files: one, or all with a cause. */
export function ignoreActionWords(count: number): string {
  return count === 1 ? 'Ignore' : `Ignore all ${formatCount(count)}…`;
}

/** For several files; a single one is ignored without a question. */
export const IGNORE_WORDS =
  'They are not uploaded, and no longer listed here, until their content changes. They stay in the list of skipped files, where each can still be uploaded. Nothing on this computer changes.';

/** The result of an undo: of `all` files, those not sent yet are back on the list. */
export function undoneWords(
  back: number,
  all: number,
): { readonly text: string; readonly hint?: string } {
  if (back === all) return { text: `${countOf(back, 'file')} back on the list` };
  const rest = all - back;
  const hint = `${countOf(rest, 'file')} ${rest === 1 ? 'is' : 'are'} being uploaded already.`;
  return {
    text: back === 0 ? 'Nothing was undone' : `${countOf(back, 'file')} back on the list`,
    hint,
  };
}

/** The question before resending files that may have arrived. */
export function sendAgainWords(count: number): string {
  const what = count === 1 ? 'this file' : `these ${formatCount(count)} files`;
  const there = count === 1 ? 'it is' : 'they are';
  return `The service’s answer was lost while ${what} ${count === 1 ? 'was' : 'were'} sent, and asking again did not clear it up. If ${there} there already, sending again puts ${count === 1 ? 'it' : 'them'} there a second time. Nothing on this computer changes.`;
}

export function deliveredWords(count: number): string {
  const what = count === 1 ? 'This file' : `These ${formatCount(count)} files`;
  return `${what} will count as confirmed by you, not by the service, and will not be sent again. Choose this only after you have seen ${count === 1 ? 'it' : 'them'} in the batch at the service. Nothing on this computer changes.`;
}

/** The service's message about a group, as a sentence; null without one. A bare status is not quoted. */
export function quoteWords(detail: string | null): { lead: string; quote: string | null } | null {
  const text = detail?.trim() ?? '';
  if (text === '') return null;
  const status = /^status (\d{3})$/.exec(text)?.[1];
  if (status === undefined) return { lead: 'Message of the service:', quote: text };
  return { lead: `The service gave no reason (status ${status}).`, quote: null };
}

/** The sentence under the title of the view; `others`: problems that are not files. */
export function inboxSummary(groups: readonly ProblemGroup[], others: number): string {
  if (groups.length === 0) {
    return needAttention(others, 'problem');
  }
  const sum = (of: readonly ProblemGroup[]): number =>
    of.reduce((all, { count }) => all + count, 0);
  const folders = sum(groups.filter(({ code }) => code === 'directory.unreadable'));
  const files = sum(groups) - folders;
  const parts = [
    folders === 0 ? null : countOf(folders, 'folder'),
    files === 0 ? null : countOf(files, 'file'),
    others === 0 ? null : countOf(others, 'other problem'),
  ].filter((part) => part !== null);
  if (folders + files + others === 1) return needAttention(1, files === 1 ? 'file' : 'folder');
  const all = new Intl.ListFormat('en-GB').format(parts);
  if (others > 0) return `${all} need attention`;
  const causes = groups.length === 1 ? 'one cause' : `${String(groups.length)} causes`;
  return `${all} need attention, from ${causes}`;
}

/** A stable key of a group: one code may occur with several messages. */
export function problemKey({ code, detail }: Pick<ProblemGroup, 'code' | 'detail'>): string {
  return `${code}\u0000${detail ?? ''}`;
}

/** The groups in the order in which to handle them: what blocks the most comes first. */
export function orderGroups(groups: readonly ProblemGroup[]): readonly ProblemGroup[] {
  return groups.toSorted(
    (one, other) =>
      Number(other.code === 'auth.rejected') - Number(one.code === 'auth.rejected') ||
      other.count - one.count ||
      one.code.localeCompare(other.code),
  );
}
