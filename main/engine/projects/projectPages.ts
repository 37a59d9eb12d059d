/** Folders, projects and their contents, for the window. */
import { z } from 'zod';
import { ok, type Result } from '../core/errors.ts';
import type { Insights, InsightsView, ProjectRow } from '../core/model.ts';
import { insightsCsv } from './insightsCsv.ts';
import { dayOf, type Period } from '../core/contract.ts';
import { keepSnapshot, readTrend } from './insightSnapshots.ts';
import type { WorkingConnection } from '../host/workingConnection.ts';
import { readValue, writeValue } from '../settings/keyValue.ts';

const MOST_TREND = 400;
const MOST_ADDED = 500;

function addedKey(connectionId: number): string {
  return `projects.${connectionId}`;
}

function added(connection: WorkingConnection): readonly string[] {
  const { store, connectionId } = connection.runner.pipeline;
  return readValue(store, addedKey(connectionId), () => z.array(z.string())) ?? [];
}

/**
 * Remembers a project that the service does not list. Error: service.notFound, if the service says that there is no such project; after
 * other errors the project is added all the same.
 */
export async function addProject(
  connection: WorkingConnection,
  projectId: string,
): Promise<Result<null>> {
  const { client, signal, store, connectionId } = connection.runner.pipeline;
  const asked = await client.imageBatches(projectId, signal);
  if (!asked.ok && asked.error.code === 'service.notFound') return asked;
  const known = [...new Set([...added(connection), projectId])].slice(-MOST_ADDED);
  writeValue(store, addedKey(connectionId), known);
  return ok(null);
}

export function forgetProject(connection: WorkingConnection, projectId: string): void {
  const { store, connectionId } = connection.runner.pipeline;
  const left = added(connection).filter((one) => one !== projectId);
  writeValue(store, addedKey(connectionId), left);
}

/** The folder tree and every known project: listed by the service, in a folder, or added by hand. */
export async function projectTree(connection: WorkingConnection) {
  const { client, signal } = connection.runner.pipeline;
  const [folders, listed] = await Promise.all([
    client.listFolders(signal),
    client.listProjects(signal),
  ]);
  if (!folders.ok) return folders;
  const rows = new Map<string, ProjectRow>();
  const put = (row: Omit<ProjectRow, 'folderId'>): void => {
    const folder = folders.value.find(({ projects }) =>
      projects?.some(({ projectId }) => projectId === row.projectId),
    );
    if (!rows.has(row.projectId)) {
      rows.set(row.projectId, { ...row, folderId: folder?.folderId ?? null });
    }
  };
  for (const one of listed.ok ? (listed.value ?? []) : []) put({ ...one, added: false });
  for (const folder of folders.value) {
    for (const { projectId, name } of folder.projects ?? []) {
      put({ projectId, name, type: null, images: null, added: false });
    }
  }
  for (const projectId of added(connection)) {
    put({ projectId, name: projectId, type: null, images: null, added: true });
  }
  return ok({
    folders: folders.value,
    projects: [...rows.values()],
    listed: listed.ok && listed.value !== null,
  });
}

async function askInsights(
  connection: WorkingConnection,
  projectId: string,
  period: Period,
): Promise<Result<Insights>> {
  const { client, signal, store, connectionId, ports } = connection.runner.pipeline;
  const answer = await client.insights(projectId, period, signal);
  if (answer.ok) keepSnapshot(store, connectionId, period, answer.value, ports.clock.now());
  return answer;
}

/** The length of a period and how long before the day of the request it ended, in ms. */
function shapeOf({ from, until }: Period, day: string): string {
  const at = (text: string): number => Date.parse(`${text}T00:00:00Z`);
  return `${at(until) - at(from)} ${at(day) - at(until)}`;
}

/** Snapshots for periods of the same shape: totals of seven days and of thirty do not belong in one line. */
function trendOf(
  connection: WorkingConnection,
  projectId: string,
  period: Period,
): InsightsView['trend'] {
  const { store, ports } = connection.runner.pipeline;
  const { apiUrl, workspace } = connection.row;
  const shape = shapeOf(period, dayOf(ports.clock.now()));
  return readTrend(store, apiUrl, workspace, projectId)
    .filter((kept) => shapeOf(kept, kept.day) === shape)
    .slice(-MOST_TREND)
    .map(({ day, totals: { imagesLabeled, approvalPercent } }) => ({
      day,
      imagesLabeled,
      approvalPercent,
    }));
}

/** Insights of a project with their trend; today's answer is stored for the trend. */
export async function projectInsights(
  connection: WorkingConnection,
  projectId: string,
  period: Period,
): Promise<Result<InsightsView>> {
  const answer = await askInsights(connection, projectId, period);
  if (!answer.ok) return answer;
  const { labelers, totals } = answer.value;
  return ok({ labelers, totals, trend: trendOf(connection, projectId, period) });
}

export async function projectInsightsCsv(
  connection: WorkingConnection,
  projectId: string,
  period: Period,
): Promise<Result<readonly string[]>> {
  const answer = await askInsights(connection, projectId, period);
  return answer.ok ? ok(insightsCsv(answer.value, period)) : answer;
}
