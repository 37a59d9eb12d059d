/** `sluice folder …`: listing the workspace's folders, creating one, and moving projects into one. */
import type { Result } from '../../../preload/contract/errors.ts';
import type { ServiceClient } from '../../engine/runner/connect.ts';
import { ok } from '../../engine/core/errors.ts';
import { createFolderOnce } from '../../engine/projects/createOnce.ts';
import type { Folder } from '../../engine/core/model.ts';
import { withClient } from '../session/client.ts';
import type { Actions, CommandContext } from '../session/context.ts';
import { usage } from '../terminal/args.ts';
import { EXIT } from '../terminal/exitCode.ts';
import { count, formatTable } from '../terminal/format.ts';
import { oneByIdOrName, projectFrom } from '../terminal/oneOf.ts';

async function listAll(context: CommandContext, client: ServiceClient): Promise<Result<number>> {
  const folders = await client.listFolders(context.signal);
  if (!folders.ok) return folders;
  const names = new Map(folders.value.map((one) => [one.folderId, one.name]));
  const none = 'No folders yet. Create one with: sluice folder create NAME';
  const lines = formatTable(folders.value, none, [
    ['folder', (one) => one.folderId],
    ['name', (one) => one.name],
    ['in', ({ parentId }) => (parentId === null ? null : (names.get(parentId) ?? parentId))],
    ['projects', (one) => one.projects?.map(({ projectId }) => projectId).join(', ') ?? null],
  ]);
  // Scripts have always found a list here.
  const listed = folders.value.map((one) => ({ ...one, projects: one.projects ?? [] }));
  return context.output.result({ folders: listed }, lines);
}

function showFolder(
  context: CommandContext,
  folder: Pick<Folder, 'folderId' | 'name' | 'parentId'>,
  created: boolean,
): Result<number> {
  const { folderId, name, parentId } = folder;
  if (!created) context.output.say(`A folder named ${name} exists already.`);
  return context.output.result({ folder: folderId, name, parent: parentId, created }, [folderId]);
}

/** The folder with this id or name. Errors: as oneByIdOrName, and those of the question. */
async function findFolder(
  { signal }: CommandContext,
  client: ServiceClient,
  word: string,
): Promise<Result<Folder>> {
  const folders = await client.listFolders(signal);
  if (!folders.ok) return folders;
  return oneByIdOrName(folders.value, word, (one) => one.folderId, 'folder');
}

async function createOne(
  context: CommandContext,
  client: ServiceClient,
  name: string,
): Promise<Result<number>> {
  const above = context.args.text('parent');
  const parent = above === null ? ok(null) : await findFolder(context, client, above);
  if (!parent.ok) return parent;
  const { clock, signal, output } = context;
  const making = { client, clock, signal, onLost: output.say };
  const done = await createFolderOnce(making, { name, parentId: parent.value?.folderId ?? null });
  return done.ok ? showFolder(context, done.value.made, done.value.created) : done;
}

function readProjects(
  words: readonly string[],
  workspace: string | null,
): Result<readonly string[]> {
  const slugs = new Set<string>();
  for (const word of words) {
    const slug = projectFrom(word, workspace);
    if (!slug.ok) return slug;
    slugs.add(slug.value);
  }
  return ok([...slugs]);
}

/** The requested projects that the service now lists in a folder; all of them when its list does not say which it has. */
async function movedOf(
  client: ServiceClient,
  folderId: string,
  requested: readonly string[],
  signal: AbortSignal,
): Promise<Result<readonly string[]>> {
  if (requested.length === 0) return ok([]);
  const folders = await client.listFolders(signal);
  if (!folders.ok) return folders;
  const folder = folders.value.find((one) => one.folderId === folderId);
  if (folder?.projects === null) return ok(requested);
  const now = new Set(folder?.projects.map(({ projectId }) => projectId));
  return ok(requested.filter((slug) => now.has(slug)));
}

async function moveAll(
  context: CommandContext,
  client: ServiceClient,
  slugs: readonly string[],
): Promise<Result<number>> {
  const target = await findFolder(context, client, context.args.needed('to'));
  if (!target.ok) return target;
  const { folderId, name } = target.value;
  const inside = new Set(target.value.projects?.map(({ projectId }) => projectId));
  const requested = slugs.filter((slug) => !inside.has(slug));
  if (requested.length > 0) {
    const done = await client.moveProjects(folderId, requested, context.signal);
    if (!done.ok) return done;
  }
  // The service's list decides what moved, not the request.
  const listed = await movedOf(client, folderId, requested, context.signal);
  if (!listed.ok) return listed;
  const moved = listed.value;
  const missing = requested.filter((slug) => !moved.includes(slug));
  const already = slugs.filter((slug) => inside.has(slug));
  const lines = [
    moved.length > 0 ? `Moved ${moved.join(', ')} to ${name}.` : null,
    already.length > 0 ? `In ${name} already: ${already.join(', ')}.` : null,
    missing.length > 0
      ? `Asked for, but the service does not list ${count(missing.length, 'project')} there yet: ${missing.join(', ')}.`
      : null,
  ].filter((line) => line !== null);
  context.output.result({ folder: folderId, name, moved, already, missing }, lines);
  return ok(missing.length > 0 ? EXIT.attention : EXIT.done);
}

export const folder: Actions = {
  list: (context) => withClient(context, 'if-exists', ({ client }) => listAll(context, client)),
  create: (context, [given = '']) => {
    const name = given.trim();
    if (name === '') return usage('the NAME of the folder is blank');
    return withClient(context, 'if-exists', ({ client }) => createOne(context, client, name));
  },
  move: (context, words) => {
    // Errors that can be found without the service are reported first.
    const given = readProjects(words, null);
    if (!given.ok) return given;
    return withClient(context, 'if-exists', async ({ client, workspace }) => {
      const slugs = readProjects(words, workspace);
      return slugs.ok ? moveAll(context, client, slugs.value) : slugs;
    });
  },
};
