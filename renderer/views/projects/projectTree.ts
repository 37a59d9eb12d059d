/** The folders of a workspace and their projects, as the rows of one list. */
import type { Folder } from '../../../preload/contract/serviceRecords.ts';
import type { ProjectRow } from '../../../preload/contract/records.ts';
import { formatCount } from '../../../preload/contract/figures.ts';

export type TreeRow =
  | {
      readonly kind: 'folder';
      readonly id: string;
      readonly name: string;
      readonly depth: number;
      /** True while its content is shown; never for an empty folder. */
      readonly open: boolean;
      readonly empty: boolean;
      readonly projects: number;
    }
  | {
      readonly kind: 'project';
      readonly id: string;
      readonly name: string;
      readonly depth: number;
      readonly folderId: string | null;
      readonly project: ProjectRow;
    };

/** A folder that a project can be moved to, with its full path. */
export interface MoveTarget {
  readonly folderId: string;
  readonly path: string;
}

const rough = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** A short count: exact below 100,000, then "989.9K", "1.2M". */
export function roughCount(count: number): string {
  return count < 100_000 ? formatCount(count) : rough.format(count);
}

/** Why no project can be taken out of all folders. */
export const STAYS_INSIDE =
  'The service can move a project to another folder, but not back out of all folders.';

/** The projects that the service lists, and those it names only inside folders, each once, in folder order. */
export function allProjects(
  folders: readonly Folder[],
  projects: readonly ProjectRow[],
): readonly ProjectRow[] {
  const places = new Map<string, string>();
  const found = new Map(projects.map((project) => [project.projectId, project]));
  for (const folder of folders) {
    for (const { projectId, name } of folder.projects ?? []) {
      places.set(projectId, folder.folderId);
      if (!found.has(projectId)) {
        const bare = { type: null, images: null, added: false };
        found.set(projectId, { projectId, name, folderId: folder.folderId, ...bare });
      }
    }
  }
  return [...found.values()].map((project) => ({
    ...project,
    folderId: places.get(project.projectId) ?? project.folderId,
  }));
}

function byName<T extends { readonly name: string }>(list: readonly T[]): readonly T[] {
  return list.toSorted((one, other) =>
    one.name.localeCompare(other.name, undefined, { numeric: true, sensitivity: 'base' }),
  );
}

/**
 * The tree as rows: folders before projects, both by name. A folder whose parent is missing, or that is part of a cycle, is at the top
 * level, so that nothing is ever hidden. A search opens folders with hits and leaves out the rest.
 */
export function treeRows(
  folders: readonly Folder[],
  projects: readonly ProjectRow[],
  closed: ReadonlySet<string>,
  search = '',
): readonly TreeRow[] {
  const known = new Set(folders.map(({ folderId }) => folderId));
  const every = allProjects(folders, projects);
  const wanted = search.trim().toLowerCase();
  const hit = (name: string, id: string): boolean =>
    wanted === '' || name.toLowerCase().includes(wanted) || id.toLowerCase().includes(wanted);
  const done = new Set<string>();

  const projectsIn = (folderId: string | null, depth: number): readonly TreeRow[] =>
    byName(
      every.filter((one) => (known.has(one.folderId ?? '') ? one.folderId : null) === folderId),
    )
      .filter((one) => hit(one.name, one.projectId))
      .map((one) => ({
        kind: 'project',
        id: one.projectId,
        name: one.name,
        depth,
        folderId,
        project: one,
      }));

  const folderRows = (folder: Folder, depth: number): readonly TreeRow[] => {
    if (done.has(folder.folderId)) return [];
    done.add(folder.folderId);
    const children = byName(folders.filter((one) => one.parentId === folder.folderId));
    const inside = [
      ...children.flatMap((child) => folderRows(child, depth + 1)),
      ...projectsIn(folder.folderId, depth + 1),
    ];
    if (wanted !== '' && inside.length === 0 && !hit(folder.name, folder.folderId)) return [];
    const empty = children.length === 0 && !every.some((one) => one.folderId === folder.folderId);
    const open = !empty && (wanted !== '' || !closed.has(folder.folderId));
    const count = every.filter((one) => one.folderId === folder.folderId).length;
    const row: TreeRow = {
      kind: 'folder',
      id: folder.folderId,
      name: folder.name,
      depth,
      open,
      empty,
      projects: count,
    };
    return open ? [row, ...inside] : [row];
  };

  const roots = byName(folders.filter((one) => one.parentId === null || !known.has(one.parentId)));
  const rows = roots.flatMap((folder) => folderRows(folder, 0));
  const circling = byName(folders.filter((one) => !done.has(one.folderId)));
  return [...rows, ...circling.flatMap((folder) => folderRows(folder, 0)), ...projectsIn(null, 0)];
}

/** The folders by path ("Line 3 / Night"), except the one that the project is in. */
export function moveTargets(
  folders: readonly Folder[],
  without: string | null,
): readonly MoveTarget[] {
  const byId = new Map(folders.map((folder) => [folder.folderId, folder]));
  return folders
    .filter(({ folderId }) => folderId !== without)
    .map(({ folderId }) => ({ folderId, path: folderPath(byId, folderId) }))
    .toSorted((one, other) => one.path.localeCompare(other.path));
}

function folderPath(byId: ReadonlyMap<string, Folder>, folderId: string): string {
  const names: string[] = [];
  const seen = new Set<string>();
  for (let at = byId.get(folderId); at !== undefined; at = byId.get(at.parentId ?? '')) {
    if (seen.has(at.folderId)) break;
    seen.add(at.folderId);
    names.unshift(at.name);
  }
  return names.join(' / ');
}
