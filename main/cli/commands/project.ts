/** `sluice project …`: the projects of the workspace, their image batches, and annotation insights over time. */
import type { Result } from '../../../preload/contract/errors.ts';
import type { ServiceClient } from '../../engine/runner/connect.ts';
import { ok } from '../../engine/core/errors.ts';
import type { ImageBatch, Project } from '../../engine/core/model.ts';
import { withClient, withProject } from '../session/client.ts';
import { SORTS } from '../options/projects.ts';
import type { Action, Actions } from '../session/context.ts';
import { choiceOf, readOption } from '../terminal/args.ts';
import { formatInstant, formatTable } from '../terminal/format.ts';
import { showList } from '../terminal/longList.ts';
import { insights, trend } from './projectInsights.ts';

/** The projects found in the folders, for a service that does not list projects. */
async function fromFolders(
  client: ServiceClient,
  signal: AbortSignal,
): Promise<Result<readonly Project[]>> {
  const folders = await client.listFolders(signal);
  if (!folders.ok) return folders;
  const found = new Map<string, Project>();
  for (const { projectId, name } of folders.value.flatMap(({ projects }) => projects ?? [])) {
    found.set(projectId, { projectId, name, type: null, images: null });
  }
  return ok([...found.values()]);
}

const list: Action = (context) =>
  withClient(context, 'if-exists', async ({ client }) => {
    const listed = await client.listProjects(context.signal);
    if (!listed.ok) return listed;
    const projects =
      listed.value === null ? await fromFolders(client, context.signal) : ok(listed.value);
    if (!projects.ok) return projects;
    const source = listed.value === null ? 'folders' : 'service';
    if (source === 'folders') {
      context.output.say('This service lists no projects; these are the ones in folders.');
    }
    const lines = formatTable(projects.value, 'No projects are known.', [
      ['project', (one) => one.projectId],
      ['name', (one) => one.name],
      ['type', (one) => one.type],
      ['images', (one) => one.images],
    ]);
    return context.output.result({ source, projects: projects.value }, lines);
  });

type Order = (one: ImageBatch, other: ImageBatch) => number;

/** Names in natural order; counts and dates with the largest and newest first. */
const ORDERS: Readonly<Record<(typeof SORTS)[number], Order>> = {
  name: (one, other) => one.name.localeCompare(other.name, 'en', { numeric: true }),
  count: (one, other) => (other.images ?? 0) - (one.images ?? 0),
  created: (one, other) => (other.createdAt ?? 0) - (one.createdAt ?? 0),
};

const batches: Action = async (context, [word = '']) => {
  const sort = readOption(context.args, 'sort', choiceOf(SORTS), null);
  if (!sort.ok) return sort;
  const order = sort.value === null ? () => 0 : ORDERS[sort.value];
  return withProject(context, 'if-exists', word, async (project, { client }) => {
    const listed = await client.imageBatches(project, context.signal);
    if (!listed.ok) return listed;
    const sorted = [...listed.value].sort(order);
    const none = 'This project has no image batches.';
    return showList(
      context.output,
      { project },
      ['imageBatches', sorted, none],
      [
        ['image batch', (one) => one.imageBatchId],
        ['name', (one) => one.name],
        ['images', (one) => one.images],
        ['created', (one) => formatInstant(one.createdAt)],
      ],
    );
  });
};

export const project: Actions = { list, insights, trend, batches };
