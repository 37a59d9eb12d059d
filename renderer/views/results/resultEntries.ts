import Braces from '@lucide/svelte/icons/braces';
import Copy from '@lucide/svelte/icons/copy';
import Eye from '@lucide/svelte/icons/eye';
import FolderOpen from '@lucide/svelte/icons/folder-open';
import SquareArrowOutUpRight from '@lucide/svelte/icons/square-arrow-out-up-right';
import { countOf } from '../../../preload/contract/figures.ts';
import type { ResultFile } from '../../../preload/contract/results.ts';
import { perform } from '../../state/bridge.ts';
import type { MenuEntries } from '../../state/contextMenu.svelte.ts';
import { copyText } from '../../state/copyText.ts';
import { baseName } from '../../text/pathParts.ts';
import { rowAsObject, rowsAsText } from './tableCopy.ts';

const MOST_DRAGGED = 500;

export function dragResults(jobId: string, files: readonly ResultFile[]): void {
  const paths = files.slice(0, MOST_DRAGGED).map(({ path }) => path);
  if (paths.length > 0) void perform('result.drag', { jobId, paths });
}

export function resultEntries(
  jobId: string,
  files: readonly ResultFile[],
  look: () => void,
): MenuEntries {
  const [first] = files;
  if (first === undefined) return [];
  const many = files.length > 1;
  const { path } = first;
  const copy = (of: (file: ResultFile) => string, one: string): void =>
    void copyText(files.map(of).join('\n'), countOf(files.length, one));
  return [
    ...(many
      ? []
      : [
          { label: 'Quick look', icon: Eye, key: 'Space', run: look },
          {
            label: 'Open',
            icon: SquareArrowOutUpRight,
            run: () => void perform('result.open', { jobId, path }),
          },
          {
            label: 'Show in folder',
            icon: FolderOpen,
            run: () => void perform('result.show', { jobId, path }),
          },
          null,
        ]),
    {
      label: many ? `Copy path (${String(files.length)})` : 'Copy path',
      icon: Copy,
      run: () => copy((file) => file.path, 'path'),
    },
    {
      label: many ? `Copy name (${String(files.length)})` : 'Copy name',
      run: () => copy((file) => baseName(file.name), 'name'),
    },
  ];
}

export function rowEntries(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  look: () => void,
): MenuEntries {
  const many = rows.length > 1;
  const done = countOf(rows.length, 'row');
  return [
    ...(many ? [] : [{ label: 'Quick look', icon: Eye, key: 'Space', run: look }, null]),
    {
      label: many ? `Copy ${String(rows.length)} rows` : 'Copy row',
      icon: Copy,
      run: () => void copyText(rowsAsText(columns, rows), done),
    },
    {
      label: 'Copy as JSON',
      icon: Braces,
      run: () => {
        const objects = rows.map((row) => rowAsObject(columns, row));
        void copyText(JSON.stringify(many ? objects : objects[0], null, 2), done);
      },
    },
  ];
}
