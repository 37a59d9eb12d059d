/** Folders, projects and what belongs to them, for the window. */
import { z } from 'zod';
import type { Result } from '../../preload/errorCodes.ts';
import type { FolderView, InsightsView, ProjectRow } from '../../preload/rows.ts';
import { ok } from './errors.ts';
import { insightsCsv } from './insightsCsv.ts';
import { keepSnapshot, type Period, readTrend } from './insightSnapshots.ts';
import type { Insights } from './model.ts';
import type { WorkingLine } from './station.ts';
import { readNote, writeNote } from './stationNotes.ts';

const MOST_TREND = 400;

function addedKey(connectionId: number): string {
  return `projects.${connectionId}`;
}

function added(line: WorkingLine): readonly string[] {
  const { store, connectionId } = line.running.line;
  return readNote(store, addedKey(connectionId), z.array(z.string())) ?? [];
}

/** Remembers a project that the service does not list. */
export function addProject(line: WorkingLine, projectId: string): void {
  const { store, connectionId } = line.running.line;
  writeNote(store, addedKey(connectionId), [...new Set([...added(line), projectId])].slice(-500));
}

/** The folder tree and every project that is known: listed by the service, in a folder, or added by hand. */
export async function projectTree(line: WorkingLine): Promise<
  Result<{
    folders: readonly FolderView[];
    projects: readonly ProjectRow[];
    listed: boolean;
  }>
> {
  const { client, signal } = line.running.line;
  const [folders, listed] = await Promise.all([
    client.listFolders(signal),
    client.listProjects(signal),
  ]);
  if (!folders.ok) return folders;
  const rows = new Map<string, ProjectRow>();
  const put = (row: Omit<ProjectRow, 'folderId'>): void => {
    const folder = folders.value.find(({ projects }) =>
      projects.some(({ projectId }) => projectId === row.projectId),
    );
    if (!rows.has(row.projectId)) {
      rows.set(row.projectId, { ...row, folderId: folder?.folderId ?? null });
    }
  };
  for (const one of listed.ok ? (listed.value ?? []) : []) put({ ...one, added: false });
  for (const folder of folders.value) {
    for (const { projectId, name } of folder.projects) {
      put({ projectId, name, type: null, images: null, added: false });
    }
  }
  for (const projectId of added(line)) {
    put({ projectId, name: projectId, type: null, images: null, added: true });
  }
  return ok({
    folders: folders.value,
    projects: [...rows.values()],
    listed: listed.ok && listed.value !== null,
  });
}

async function askInsights(
  line: WorkingLine,
  projectId: string,
  period: Period,
): Promise<Result<Insights>> {
  const { client, signal, store, connectionId, ports } = line.running.line;
  const told = await client.insights(projectId, period, signal);
  if (told.ok) keepSnapshot(store, connectionId, period, told.value, ports.clock.now());
  return told;
}

/** Insights of a project with their trend; what is told today is kept for it. */
export async function projectInsights(
  line: WorkingLine,
  projectId: string,
  period: Period,
): Promise<Result<InsightsView>> {
  const told = await askInsights(line, projectId, period);
  if (!told.ok) return told;
  const { apiUrl, workspace } = line.row;
  const days = new Map(
    readTrend(line.running.line.store, apiUrl, workspace, projectId).map((kept) => [
      kept.day,
      {
        day: kept.day,
        imagesLabeled: kept.totals.imagesLabeled,
        approvalPercent: kept.totals.approvalPercent,
      },
    ]),
  );
  const { labelers, totals } = told.value;
  return ok({ labelers, totals, trend: [...days.values()].slice(-MOST_TREND) });
}

/** Insights as CSV lines. */
export async function projectInsightsCsv(
  line: WorkingLine,
  projectId: string,
  period: Period,
): Promise<Result<readonly string[]>> {
  const told = await askInsights(line, projectId, period);
  return told.ok ? ok(insightsCsv(told.value, period)) : told;
}
