/** `sluice project insights` and `trend`: who labeled how much, how well, and how that changes. */
import { isCalendarDay, type Period } from '../../../preload/contract/calendarDay.ts';
import type { Result } from '../../../preload/contract/errors.ts';
import { explain } from '../../../preload/contract/messages.ts';
import { errorOf, ok } from '../../engine/core/errors.ts';
import {
  type InsightSnapshot,
  keepSnapshot,
  periodFrom,
  readTrend,
} from '../../engine/projects/insightSnapshots.ts';
import { insightsCsv } from '../../engine/projects/insightsCsv.ts';
import type { Insights } from '../../engine/core/model.ts';
import { type ClientAccess, withProject } from '../session/client.ts';
import { type Action, type CommandContext, readAddresses, givenFor } from '../session/context.ts';
import { readLedger } from '../session/ledger.ts';
import { usage } from '../terminal/args.ts';
import { EXIT } from '../terminal/exitCode.ts';
import { type Column, formatTable, withIsoTimes } from '../terminal/format.ts';
import { projectFrom } from '../terminal/oneOf.ts';

function readPeriod(context: CommandContext): Result<Period> {
  const { args } = context;
  for (const name of ['from', 'until']) {
    const day = args.text(name);
    if (day !== null && !isCalendarDay(day)) {
      return usage(`--${name} needs a day of the calendar, written YYYY-MM-DD`);
    }
  }
  const now = context.clock.now();
  const period = periodFrom(args.text('from'), args.text('until'), now);
  return period === null ? usage('--from is after --until') : ok(period);
}

function percent(value: number | null): string | null {
  return value === null ? null : `${Math.round(value * 10) / 10} %`;
}

const FIGURES: readonly Column<Insights['totals']>[] = [
  ['images', (one) => one.imagesLabeled],
  ['boxes', (one) => one.boxesDrawn],
  ['null', (one) => one.markedNull],
  ['assisted', (one) => one.modelAssisted],
];

function insightLines(answer: Insights, period: Period): readonly string[] {
  const heading = `Project ${answer.projectId}, ${period.from} until ${period.until}`;
  if (answer.labelers.length === 0) return [heading, 'No labels in this period.'];
  const all = { ...answer.totals, displayName: 'all', approved: null, rejected: null };
  const table = formatTable([...answer.labelers, all], null, [
    ['labeler', (one) => one.displayName],
    ...FIGURES,
    ['approved', (one) => one.approved],
    ['rejected', (one) => one.rejected],
    ['approval', (one) => percent(one.approvalPercent)],
  ]);
  return [heading, ...table];
}

/** Saves today's snapshot. A failing ledger must not hide the insights themselves. */
function saveSnapshot(
  context: CommandContext,
  access: ClientAccess,
  period: Period,
  answer: Insights,
): boolean {
  if (access.ledger === null) return false;
  const { store, connectionId } = access.ledger;
  try {
    keepSnapshot(store, connectionId, period, answer, context.clock.now());
    return true;
  } catch (thrown) {
    const { message } = explain(errorOf(thrown));
    context.output.say(`Today's insights could not be kept for the trend. ${message}`);
    return false;
  }
}

/** Shows the insights of a project and keeps them for the trend. */
export const insights: Action = async (context, [word = '']) => {
  const { args, output } = context;
  const asCsv = args.flag('csv');
  if (asCsv && output.options.json) return usage('--csv or --json, not both');
  const period = readPeriod(context);
  if (!period.ok) return period;
  return withProject(context, 'create', word, async (project, access) => {
    const answer = await access.client.insights(project, period.value, context.signal);
    if (!answer.ok) return answer;
    const kept = saveSnapshot(context, access, period.value, answer.value);
    if (asCsv) output.rows(insightsCsv(answer.value, period.value));
    else {
      const data = { ...answer.value, ...period.value, kept };
      output.result(data, insightLines(answer.value, period.value));
    }
    return ok(EXIT.done);
  });
};

function trendLines(kept: readonly InsightSnapshot[]): readonly string[] {
  if (kept.length === 0) {
    return ['Nothing is stored for this project yet: each sluice project insights stores one day.'];
  }
  const rows = kept.map(({ totals, ...one }) => ({ ...one, ...totals }));
  return formatTable(rows, null, [
    ['asked on', (one) => one.day],
    ['about', (one) => `${one.from} until ${one.until}`],
    ...FIGURES,
    ['approval', (one) => percent(one.approvalPercent)],
    ['workspace', (one) => one.workspace],
  ]);
}

/** Shows the saved insights. Needs neither the service nor a key. */
export const trend: Action = async (context, [word = '']) => {
  const workspace = givenFor(context, 'workspace');
  const project = projectFrom(word, workspace);
  if (!project.ok) return project;
  const addresses = readAddresses(context);
  if (!addresses.ok) return addresses;
  return readLedger(context, (store) => {
    const { apiUrl } = addresses.value;
    const kept = store === null ? [] : readTrend(store, apiUrl, workspace, project.value);
    const snapshots = kept.map(withIsoTimes);
    return context.output.result({ project: project.value, snapshots }, trendLines(kept));
  });
};
