/** `sluice project insights` and `trend`: who labeled how much, how well, and how that changes. */
import type { Result } from '../../preload/contract/errors.ts';
import { explain } from '../../preload/contract/messages.ts';
import { errorOf, ok } from '../engine/core/errors.ts';
import {
  type InsightSnapshot,
  isCalendarDay,
  keepSnapshot,
  type Period,
  periodFrom,
  readTrend,
} from '../engine/projects/insightSnapshots.ts';
import { insightsCsv } from '../engine/projects/insightsCsv.ts';
import type { Insights } from '../engine/core/model.ts';
import { openReader } from '../engine/queries/reading.ts';
import { usage } from './args.ts';
import { type Beside, withClient } from './beside.ts';
import { type CommandContext, readAddresses } from './context.ts';
import { EXIT } from './exitCode.ts';
import { formatTable } from './format.ts';
import { projectFrom } from './oneOf.ts';

function readPeriod(context: CommandContext): Result<Period> {
  const { args } = context;
  for (const name of ['from', 'until']) {
    const day = args.text(name);
    if (day !== null && !isCalendarDay(day)) {
      return usage(`--${name} needs a day of the calendar, written YYYY-MM-DD`);
    }
  }
  const now = context.ports().clock.now();
  const period = periodFrom(args.text('from'), args.text('until'), now);
  return period === null ? usage('--from is after --until') : ok(period);
}

function percent(value: number | null): string {
  return value === null ? '' : `${Math.round(value * 10) / 10} %`;
}

type Figures = Insights['totals'];

function figureCells(figures: Figures): readonly string[] {
  return [
    String(figures.imagesLabeled),
    String(figures.boxesDrawn),
    String(figures.markedNull),
    String(figures.modelAssisted),
  ];
}

const FIGURES = ['images', 'boxes', 'null', 'assisted'];

function insightLines(told: Insights, period: Period): readonly string[] {
  const heading = `Project ${told.projectId}, ${period.from} until ${period.until}`;
  if (told.labelers.length === 0) return [heading, 'Nobody labeled anything in this time.'];
  const rows = told.labelers.map((one) => [
    one.displayName,
    ...figureCells(one),
    String(one.approved),
    String(one.rejected),
    percent(one.approvalPercent),
  ]);
  const { totals } = told;
  const total = ['all', ...figureCells(totals), '', '', percent(totals.approvalPercent)];
  const columns = ['labeler', ...FIGURES, 'approved', 'rejected', 'approval'];
  return [heading, ...formatTable([columns, ...rows, total])];
}

/** Keeps today's snapshot. A ledger that cannot take it must not hide the insights themselves. */
function keep(context: CommandContext, beside: Beside, period: Period, told: Insights): boolean {
  if (beside.ledger === null) return false;
  const { store, connectionId } = beside.ledger;
  try {
    keepSnapshot(store, connectionId, period, told, context.ports().clock.now());
    return true;
  } catch (thrown) {
    const { message } = explain(errorOf(thrown));
    context.output.say(`Today's insights could not be kept for the trend. ${message}`);
    return false;
  }
}

/** Shows the insights of a project and keeps them for the trend. */
export async function insights(context: CommandContext): Promise<Result<number>> {
  const { args, output } = context;
  const early = projectFrom(args.words[1], null);
  if (!early.ok) return early;
  const asCsv = args.flag('csv');
  if (asCsv && output.options.json) return usage('--csv or --json, not both');
  const period = readPeriod(context);
  if (!period.ok) return period;
  return withClient(context, 'make', async (beside) => {
    const project = projectFrom(args.words[1], beside.workspace);
    if (!project.ok) return project;
    const told = await beside.client.insights(project.value, period.value, context.signal);
    if (!told.ok) return told;
    const kept = keep(context, beside, period.value, told.value);
    if (asCsv) output.rows(insightsCsv(told.value, period.value));
    else {
      const data = { ...told.value, ...period.value, kept };
      output.result(data, insightLines(told.value, period.value));
    }
    return ok(EXIT.done);
  });
}

function trendLines(kept: readonly InsightSnapshot[]): readonly string[] {
  if (kept.length === 0) {
    return ['Nothing is kept of this project yet: each sluice project insights keeps one day.'];
  }
  const rows = kept.map((one) => [
    one.day,
    `${one.from} until ${one.until}`,
    ...figureCells(one.totals),
    percent(one.totals.approvalPercent),
    one.workspace,
  ]);
  return formatTable([['asked on', 'about', ...FIGURES, 'approval', 'workspace'], ...rows]);
}

/** Shows the insights that were kept. Asks nobody, and needs no key. */
export async function trend(context: CommandContext): Promise<Result<number>> {
  const { args, environment } = context;
  const named = args.text('workspace') ?? environment['SLUICE_WORKSPACE'] ?? '';
  const workspace = named === '' ? null : named;
  const project = projectFrom(args.words[1], workspace);
  if (!project.ok) return project;
  const addresses = readAddresses(context);
  if (!addresses.ok) return addresses;
  const reader = openReader(context.dataDirectory);
  if (!reader.ok) return reader;
  const store = reader.value;
  try {
    const { apiUrl } = addresses.value;
    const kept = store === null ? [] : readTrend(store, apiUrl, workspace, project.value);
    const snapshots = kept.map(({ takenAt, ...one }) => ({
      ...one,
      takenAt: new Date(takenAt).toISOString(),
    }));
    context.output.result({ project: project.value, snapshots }, trendLines(kept));
    return ok(EXIT.done);
  } finally {
    store?.close();
  }
}
