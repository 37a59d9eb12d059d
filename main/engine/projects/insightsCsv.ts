/** Annotation insights as a table for other programs. */
import { csvRows } from '../core/csv.ts';
import type { Period } from '../core/contract.ts';
import type { Insights, LabelerInsights } from '../core/model.ts';

type Cell = string | number | null;

const COLUMNS: readonly (readonly [heading: string, cellOf: (one: LabelerInsights) => Cell])[] = [
  ['labeler', (one) => one.displayName],
  ['email', (one) => one.email],
  ['images_labeled', (one) => one.imagesLabeled],
  ['boxes_drawn', (one) => one.boxesDrawn],
  ['marked_null', (one) => one.markedNull],
  ['model_assisted', (one) => one.modelAssisted],
  ['approved', (one) => one.approved],
  ['rejected', (one) => one.rejected],
  ['approval_percent', (one) => one.approvalPercent],
];

/** A heading, then one row per labeler. Pure. */
export function insightsCsv(
  { projectId, labelers }: Insights,
  { from, until }: Period,
): readonly string[] {
  const heading = ['project', 'from', 'until', ...COLUMNS.map(([name]) => name)];
  const rows = labelers.map((one) => [projectId, from, until, ...COLUMNS.map(([, of]) => of(one))]);
  return csvRows([heading, ...rows]);
}
