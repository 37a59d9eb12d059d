/** Annotation insights as displayed: periods, sorted bars, the trend, and what each figure means. */
import { niceTop } from '../../text/chartPath.ts';
import { dayOf, isCalendarDay, type Period } from '../../../preload/contract/calendarDay.ts';
import { formatCount } from '../../../preload/contract/figures.ts';
import type { LabelerInsights } from '../../../preload/contract/serviceRecords.ts';
import type { InsightsView } from '../../../preload/contract/records.ts';

export type FigureKey =
  | 'imagesLabeled'
  | 'boxesDrawn'
  | 'approvalPercent'
  | 'modelAssisted'
  | 'markedNull'
  | 'rejected';

/** A named figure, with a sentence about how it is counted. */
export interface Figure {
  readonly key: FigureKey;
  readonly label: string;
  readonly definition: string;
}

export const FIGURES: readonly Figure[] = [
  {
    key: 'imagesLabeled',
    label: 'Images labeled',
    definition:
      'Images on which the labeler worked in the period. An image counts once per labeler, however many boxes it holds.',
  },
  {
    key: 'boxesDrawn',
    label: 'Boxes drawn',
    definition:
      'Boxes and other shapes the labeler drew in the period, those of the model not counted.',
  },
  {
    key: 'approvalPercent',
    label: 'Approval rate',
    definition:
      'Share of reviewed images that were approved at the first review. An image that was rejected once never counts as approved here, even if it is approved later.',
  },
  {
    key: 'modelAssisted',
    label: 'Model assisted',
    definition: 'Images on which a model drew first and the labeler kept or edited it.',
  },
  {
    key: 'markedNull',
    label: 'Marked null',
    definition: 'Images the labeler marked as holding nothing to label. They count as labeled.',
  },
  {
    key: 'rejected',
    label: 'Rejections',
    definition:
      'How often a reviewer sent an image back. One image rejected twice counts twice, so this can be more than the images.',
  },
];

const DAY_MS = 24 * 60 * 60 * 1000;

/** The given number of last days, including today. */
export function lastDays(days: number, now: number): Period {
  return { from: dayOf(now - (days - 1) * DAY_MS), until: dayOf(now) };
}

/** What is wrong with a period, or null. The service has figures from 2023-08-01 on. */
export function periodProblem({ from, until }: Period): string | null {
  if (!isCalendarDay(from) || !isCalendarDay(until)) return 'Write both days as 2026-11-21.';
  if (from > until) return 'The period ends before it begins.';
  if (until < '2023-08-01') return 'The service has no figures from before 2023-08-01.';
  return null;
}

export interface Bar {
  readonly labelerId: string;
  readonly name: string;
  /** null: the service gives none. */
  readonly value: number | null;
  /** 0 to 1, relative to the longest; percents are relative to 100. */
  readonly fraction: number;
}

function nameOf(labeler: LabelerInsights): string {
  const name = labeler.displayName.trim();
  return name === '' ? (labeler.email ?? labeler.labelerId) : name;
}

/** The bars of a figure, longest first, those without a value last; equal ones by name. */
export function barsOf(labelers: readonly LabelerInsights[], key: FigureKey): readonly Bar[] {
  const bars = labelers.map((labeler) => {
    const value = labeler[key];
    const sane = value !== null && Number.isFinite(value) ? Math.max(0, value) : null;
    return { labelerId: labeler.labelerId, name: nameOf(labeler), value: sane };
  });
  const longest =
    key === 'approvalPercent' ? 100 : Math.max(1, ...bars.map(({ value }) => value ?? 0));
  return bars
    .toSorted(
      (one, other) =>
        (other.value ?? -1) - (one.value ?? -1) ||
        one.name.localeCompare(other.name, undefined, { numeric: true }),
    )
    .map((bar) => ({ ...bar, fraction: Math.min(1, (bar.value ?? 0) / longest) }));
}

const PERCENT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** A figure's value as text; a dash when there is none. */
export function figureText(key: FigureKey, value: number | null): string {
  if (value === null || !Number.isFinite(value)) return '–';
  return key === 'approvalPercent' ? `${PERCENT.format(value)} %` : formatCount(value);
}

/** A figure that is stored day by day. */
export type TrendKey = 'imagesLabeled' | 'approvalPercent';

/** The trend as points in a box of 100 by 100, y downwards; gaps in the days keep their width. */
export interface TrendLine {
  readonly points: readonly {
    readonly day: string;
    readonly value: number;
    readonly x: number;
    readonly y: number;
  }[];
  readonly top: number;
}

/** The line of one figure over the stored snapshots; days without it are left out. */
export function trendLine(trend: InsightsView['trend'], key: TrendKey): TrendLine {
  const known = trend.flatMap((snapshot) => {
    const value = snapshot[key];
    const at = Date.parse(`${snapshot.day}T00:00:00Z`);
    return value === null || !Number.isFinite(value) || Number.isNaN(at)
      ? []
      : [{ day: snapshot.day, at, value: Math.max(0, value) }];
  });
  const first = known[0]?.at ?? 0;
  const span = Math.max(1, (known.at(-1)?.at ?? 0) - first);
  const top =
    key === 'approvalPercent' ? 100 : niceTop(Math.max(1, ...known.map(({ value }) => value)));
  const points = known.map(({ day, at, value }) => ({
    day,
    value,
    x: known.length === 1 ? 100 : ((at - first) / span) * 100,
    y: 100 - (value / top) * 100,
  }));
  return { points, top };
}
