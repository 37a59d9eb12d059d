import Braces from '@lucide/svelte/icons/braces';
import Copy from '@lucide/svelte/icons/copy';
import Eye from '@lucide/svelte/icons/eye';
import FolderOpen from '@lucide/svelte/icons/folder-open';
import SquareArrowOutUpRight from '@lucide/svelte/icons/square-arrow-out-up-right';
import { countOf } from '../../../preload/contract/figures.ts';
import type { ResultFile } from '../../../preload/contract/results.ts';
import { perform } from '../../state/bridge.ts';
import type { MenuEntries } from '../../state/contextMenu.svelte.ts';
import { addToast } from '../../state/toasts.svelte.ts';
import { baseName } from '../../text/pathParts.ts';
import { rowAsObject, rowsAsText } from './tableCopy.ts';

/** The most the clipboard takes at once, in characters. */
const MOST_LETTERS = 200_000;
const MOST_DRAGGED = 500;

export async function copy(text: string, done: string): Promise<void> {
  if (text.length > MOST_LETTERS) {
    addToast({
      tone: 'error',
      text: 'That is too much for the clipboard.',
      hint: 'Mark fewer rows, or open the file.',
    });
  } else if (await perform('text.copy', { text })) addToast({ tone: 'done', text: done });
}

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
  const joined = (of: (file: ResultFile) => string): string => files.map(of).join('\n');
  const copied = (one: string): string => `${countOf(files.length, one)} copied`;
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
      run: () =>
        void copy(
          joined((file) => file.path),
          copied('path'),
        ),
    },
    {
      label: many ? `Copy name (${String(files.length)})` : 'Copy name',
      run: () =>
        void copy(
          joined((file) => baseName(file.name)),
          copied('name'),
        ),
    },
  ];
}

export function rowEntries(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  look: () => void,
): MenuEntries {
  const many = rows.length > 1;
  const done = `${countOf(rows.length, 'row')} copied`;
  return [
    ...(many ? [] : [{ label: 'Quick look', icon: Eye, key: 'Space', run: look }, null]),
    {
      label: many ? `Copy ${String(rows.length)} rows` : 'Copy row',
      icon: Copy,
      run: () => void copy(rowsAsText(columns, rows), done),
    },
    {
      label: 'Copy as JSON',
      icon: Braces,
      run: () => {
        const objects = rows.map((row) => rowAsObject(columns, row));
        void copy(JSON.stringify(many ? objects : objects[0], null, 2), done);
      },
    },
  ];
}
