/** Annotation insights as a table for other programs. */
import { csvRows } from '../core/csv.ts';
import type { Period } from '../core/contract.ts';
import type { Insights } from '../core/model.ts';

/** A heading, then one row per labeler. Pure. */
export function insightsCsv(insights: Insights, period: Period): readonly string[] {
  const columns = [
    'project',
    'from',
    'until',
    'labeler',
    'email',
    'images_labeled',
    'boxes_drawn',
    'marked_null',
    'model_assisted',
    'approved',
    'rejected',
    'approval_percent',
  ];
  const rows = insights.labelers.map((one) => [
    insights.projectId,
    period.from,
    period.until,
    one.displayName,
    one.email,
    one.imagesLabeled,
    one.boxesDrawn,
    one.markedNull,
    one.modelAssisted,
    one.approved,
    one.rejected,
    one.approvalPercent,
  ]);
  return csvRows([columns, ...rows]);
}
