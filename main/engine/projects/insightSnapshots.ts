/** Annotation insights stored day by day in the ledger, for the trend that the service itself does not report. */
import { dayOf, type Period } from '../core/contract.ts';
import type { Insights } from '../core/model.ts';
import { insightSnapshotOf, type InsightSnapshot } from '../store/tables/insightRows.ts';
import type { Store } from '../store/store.ts';

export type { InsightSnapshot } from '../store/tables/insightRows.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Length of the period that is read by default, in days, including the last. */
const STANDARD_DAYS = 30;

/** The requested period; by default it ends today and has 30 days. Null when it ends before it begins. Pure. */
export function periodFrom(from: string | null, until: string | null, now: number): Period | null {
  const end = until ?? dayOf(now);
  const start = from ?? dayOf(Date.parse(`${end}T00:00:00Z`) - (STANDARD_DAYS - 1) * DAY_MS);
  return start <= end ? { from: start, until: end } : null;
}

/** Stores what the service reported today about a period; a later answer on the same day replaces an earlier one. */
export function keepSnapshot(
  store: Store,
  connectionId: number,
  period: Period,
  insights: Insights,
  now: number,
): void {
  store.run(
    `INSERT INTO insight_snapshots
       (connection_id, project, day, from_day, until_day, totals, labelers, taken_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
     ON CONFLICT (connection_id, project, day, from_day, until_day)
       DO UPDATE SET totals = ?6, labelers = ?7, taken_at = ?8`,
    connectionId,
    insights.projectId,
    dayOf(now),
    period.from,
    period.until,
    JSON.stringify(insights.totals),
    JSON.stringify(insights.labelers),
    now,
  );
}

/** The stored snapshots of a project at an address, oldest first; of one workspace, or of all when it is null. */
export function readTrend(
  store: Store,
  apiUrl: string,
  workspace: string | null,
  project: string,
): readonly InsightSnapshot[] {
  const sql = `SELECT insight_snapshots.*, connections.workspace FROM insight_snapshots
       JOIN connections ON connections.id = insight_snapshots.connection_id
       WHERE connections.api_url = ?1 AND (?2 IS NULL OR connections.workspace = ?2)
         AND insight_snapshots.project = ?3
       ORDER BY connections.workspace, day, from_day, until_day`;
  return store.list(insightSnapshotOf, sql, apiUrl, workspace, project);
}
