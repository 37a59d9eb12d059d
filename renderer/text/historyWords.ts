/** Days of the history in words: is everything safe that arrived then? Pure. */
import { localDay } from '../../preload/contract/calendarDay.ts';
import { countOf, formatCount, needAttention } from '../../preload/contract/figures.ts';
import type { HistoryDay } from '../../preload/contract/records.ts';
import type { Tone } from '../views/batches/itemStates.ts';
import { filesWait } from './uploadProgress.ts';

export type DayFigures = Pick<
  HistoryDay['sources'][number],
  'found' | 'confirmed' | 'skipped' | 'attention' | 'bytes'
>;

export function dayFigures({ sources }: Pick<HistoryDay, 'sources'>): DayFigures {
  const sum = (pick: (one: DayFigures) => number): number =>
    sources.reduce((total, one) => total + pick(one), 0);
  return {
    found: sum(({ found }) => found),
    confirmed: sum(({ confirmed }) => confirmed),
    skipped: sum(({ skipped }) => skipped),
    attention: sum(({ attention }) => attention),
    bytes: sum(({ bytes }) => bytes),
  };
}

/** Files that are neither safe nor at rest for another reason. */
function openOf({ found, confirmed, skipped, attention }: DayFigures): number {
  return Math.max(0, found - confirmed - skipped - attention);
}

/**
 * "All 3,207 files safe", "2 files need attention"; `held`: nothing can be sent now, so they wait. What is on the way has no figure while it
 * changes: the one above is newer, and two that differ would both be doubted. `known`: these are all files there are.
 */
export function safetyWords(
  figures: DayFigures,
  held: boolean,
  known: boolean,
): { readonly word: string; readonly tone: Tone } {
  const { confirmed, attention, found, skipped } = figures;
  const open = openOf(figures);
  if (attention > 0) {
    // Some may be folders.
    return { word: needAttention(attention), tone: 'needs' };
  }
  if (open > 0 && held) return { word: filesWait(open), tone: 'waiting' };
  if (open > 0) return { word: 'Files on the way', tone: 'moving' };
  if (confirmed > 0) {
    const all = known && confirmed > 1 ? 'All ' : '';
    return { word: `${all}${countOf(confirmed, 'file')} safe`, tone: 'confirmed' };
  }
  if (found > 0) return { word: `${countOf(skipped, 'file')} skipped`, tone: 'quiet' };
  return { word: 'No new files', tone: 'quiet' };
}

/** The files that safetyWords leaves out. */
export function otherFiles(figures: DayFigures, held: boolean): readonly string[] {
  const { confirmed, attention } = figures;
  if (attention === 0) return [];
  if (openOf(figures) > 0) return [held ? 'others waiting' : 'more on the way'];
  return confirmed === 0 ? [] : [`${formatCount(confirmed)} safe`];
}

/** Facts side by side; where they do not fit on a line, none is broken, and no line begins with a dot. */
export function factLine(facts: readonly string[]): string {
  return facts.map((fact) => fact.replaceAll(' ', '\u00a0')).join('\u00a0· ');
}

/** What else happened on a day: "1 job failed · 2 skipped · 66 result files". */
export function dayExtras(day: HistoryDay, held: boolean): string {
  const figures = dayFigures(day);
  const { skipped } = figures;
  const failed = day.jobs.filter(({ state }) => state === 'failed').length;
  const done = day.jobs.filter(({ state }) => state === 'succeeded').length;
  const parts = [
    ...otherFiles(figures, held),
    failed === 0 ? null : countOf(failed, 'job failed', 'jobs failed'),
    skipped === 0 ? null : `${formatCount(skipped)} skipped`,
    done === 0 ? null : countOf(done, 'job done', 'jobs done'),
    day.results === 0 ? null : countOf(day.results, 'result file'),
  ];
  return factLine(parts.filter((part) => part !== null));
}

/** The summary of the last seven days; null when no files arrived in them. */
export function weekSentence(
  days: readonly HistoryDay[],
  now: number,
  held: boolean,
  known: boolean,
): { readonly word: string; readonly tone: Tone } | null {
  const today = new Date(now);
  const first = new Date(now).setDate(today.getDate() - 6);
  const from = localDay(first);
  const sources = days.filter(({ day }) => day >= from).flatMap((day) => day.sources);
  const figures = dayFigures({ sources });
  if (figures.found === 0) return null;
  const { word, tone } = safetyWords(figures, held, known);
  return { word: `Last 7 days: ${word.charAt(0).toLowerCase()}${word.slice(1)}`, tone };
}
