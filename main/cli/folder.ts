/** `sluice folder …`: the folders of the workspace, a new one, and moving projects into one. */
import type { Result } from '../../preload/contract/errors.ts';
import type { ServiceClient } from '../engine/runner/connect.ts';
import { ok } from '../engine/core/errors.ts';
import { createFolderOnce } from '../engine/projects/createOnce.ts';
import type { Folder } from '../engine/core/model.ts';
import { usage } from './args.ts';
import { withClient } from './beside.ts';
import type { Command, CommandContext } from './context.ts';
import { EXIT } from './exitCode.ts';
import { count, formatTable } from './format.ts';
import { choiceOf, oneByIdOrName, projectFrom } from './oneOf.ts';

type Act = (context: CommandContext) => Promise<Result<number>>;

async function listAll(context: CommandContext, client: ServiceClient): Promise<Result<number>> {
  const folders = await client.listFolders(context.signal);
  if (!folders.ok) return folders;
  const names = new Map(folders.value.map((one) => [one.folderId, one.name]));
  const rows = folders.value.map((one) => [
    one.folderId,
    one.name,
    one.parentId === null ? '' : (names.get(one.parentId) ?? one.parentId),
    one.projects.map(({ projectId }) => projectId).join(', '),
  ]);
  const lines =
    rows.length === 0
      ? ['No folders yet. Make one with: sluice folder create NAME']
      : formatTable([['folder', 'name', 'in', 'projects'], ...rows]);
  context.output.result({ folders: folders.value }, lines);
  return ok(EXIT.done);
}

function tellFolder(
  context: CommandContext,
  folder: Pick<Folder, 'folderId' | 'name' | 'parentId'>,
  created: boolean,
): Result<number> {
  const { folderId, name, parentId } = folder;
  if (!created) context.output.say(`A folder named ${name} is there already.`);
  context.output.result({ folder: folderId, name, parent: parentId, created }, [folderId]);
  return ok(EXIT.done);
}

/** The id of the folder that --parent means; null at the top level. */
async function readParent(
  context: CommandContext,
  client: ServiceClient,
): Promise<Result<string | null>> {
  const given = context.args.text('parent');
  if (given === null) return ok(null);
  const folders = await client.listFolders(context.signal);
  if (!folders.ok) return folders;
  const parent = oneByIdOrName(folders.value, given, (one) => one.folderId, 'folder');
  return parent.ok ? ok(parent.value.folderId) : parent;
}

async function createOne(
  context: CommandContext,
  client: ServiceClient,
  name: string,
): Promise<Result<number>> {
  const parent = await readParent(context, client);
  if (!parent.ok) return parent;
  const { clock } = context.ports();
  const { signal, output } = context;
  const making = { client, clock, signal, onLost: (said: string) => output.say(said) };
  const done = await createFolderOnce(making, { name, parentId: parent.value });
  return done.ok ? tellFolder(context, done.value.made, done.value.created) : done;
}

function readProjects(
  context: CommandContext,
  workspace: string | null,
): Result<readonly string[]> {
  const slugs = new Set<string>();
  for (const word of context.args.words.slice(1)) {
    const slug = projectFrom(word, workspace);
    if (!slug.ok) return slug;
    slugs.add(slug.value);
  }
  return slugs.size === 0 ? usage('folder move needs at least one PROJECT') : ok([...slugs]);
}

/** The projects of a folder as the service lists them now; null when the folder went away. */
async function contentOf(
  client: ServiceClient,
  folderId: string,
  signal: AbortSignal,
): Promise<Result<readonly string[] | null>> {
  const folders = await client.listFolders(signal);
  if (!folders.ok) return folders;
  const folder = folders.value.find((one) => one.folderId === folderId);
  return ok(folder?.projects.map(({ projectId }) => projectId) ?? null);
}

async function moveAll(
  context: CommandContext,
  client: ServiceClient,
  slugs: readonly string[],
  to: string,
): Promise<Result<number>> {
  const folders = await client.listFolders(context.signal);
  if (!folders.ok) return folders;
  const target = oneByIdOrName(folders.value, to, (one) => one.folderId, 'folder');
  if (!target.ok) return target;
  const { folderId, name } = target.value;
  const inside = new Set(target.value.projects.map(({ projectId }) => projectId));
  const asked = slugs.filter((slug) => !inside.has(slug));
  if (asked.length > 0) {
    const done = await client.moveProjects(folderId, asked, context.signal);
    if (!done.ok) return done;
  }
  // What moved is what the service lists, not what it was asked for.
  const now =
    asked.length === 0 ? ok([...inside]) : await contentOf(client, folderId, context.signal);
  if (!now.ok) return now;
  const moved = asked.filter((slug) => now.value?.includes(slug) === true);
  const missing = asked.filter((slug) => !moved.includes(slug));
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

const ACTS: Readonly<Record<string, Act>> = {
  list: async (context) =>
    withClient(context, 'if-there', ({ client }) => listAll(context, client)),
  create: async (context) => {
    const [, given, ...more] = context.args.words;
    const name = given?.trim() ?? '';
    if (name === '' || more.length > 0) return usage('folder create needs one NAME (quote spaces)');
    return withClient(context, 'if-there', ({ client }) => createOne(context, client, name));
  },
  move: async (context) => {
    const to = context.args.text('to');
    if (to === null) return usage('--to FOLDER is missing');
    // Mistakes that show without asking anybody are said at once.
    const given = readProjects(context, null);
    if (!given.ok) return given;
    return withClient(context, 'if-there', async ({ client, workspace }) => {
      const slugs = readProjects(context, workspace);
      return slugs.ok ? moveAll(context, client, slugs.value, to) : slugs;
    });
  },
};

export const folder: Command = {
  usage: 'sluice folder list · create NAME [--parent ID] · move PROJECT… --to FOLDER',
  about: 'project folders; a folder is named by its id, or by its name when only one has it',
  options: { parent: 'text', to: 'text' },
  run: async (context) => {
    const act = choiceOf(ACTS, context.args.words[0]);
    if (act === undefined) return usage('folder list, create or move');
    return act(context);
  },
};
