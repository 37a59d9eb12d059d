/** Rows of insight_snapshots, validated like an answer from outside. */
import { z } from 'zod';
import { sluiceError, SluiceFailure } from '../../core/errors.ts';
import { integer, text, type Row } from '../rows.ts';

const figure = z.number().nullable();

const totals = z.object({
  imagesLabeled: figure,
  boxesDrawn: figure,
  markedNull: figure,
  modelAssisted: figure,
  approvalPercent: figure,
});

const labelers = z.array(
  totals.extend({
    labelerId: z.string(),
    displayName: z.string(),
    email: z.string().nullable(),
    approved: figure,
    rejected: figure,
  }),
);

function parsed<T>(row: Row, column: string, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(text(row, column)));
  } catch {
    throw new SluiceFailure(sluiceError('store.corrupt', { column }));
  }
}

/** Reads a snapshot with its workspace. Throws store.corrupt for a row that Sluice cannot have written. */
export function insightSnapshotOf(row: Row) {
  return {
    workspace: text(row, 'workspace'),
    project: text(row, 'project'),
    day: text(row, 'day'),
    from: text(row, 'from_day'),
    until: text(row, 'until_day'),
    totals: parsed(row, 'totals', totals),
    labelers: parsed(row, 'labelers', labelers),
    takenAt: integer(row, 'taken_at'),
  };
}

/** The insights that were kept for one day. */
export type InsightSnapshot = Readonly<ReturnType<typeof insightSnapshotOf>>;
