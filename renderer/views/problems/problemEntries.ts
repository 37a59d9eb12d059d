/** The actions for files that need a person: the menu of a row, or of several marked ones. */
import BadgeCheck from '@lucide/svelte/icons/badge-check';
import Ban from '@lucide/svelte/icons/ban';
import Copy from '@lucide/svelte/icons/copy';
import FileX from '@lucide/svelte/icons/file-x';
import RotateCw from '@lucide/svelte/icons/rotate-cw';
import type { ProblemRow } from '../../../preload/contract/records.ts';
import type { MenuEntries } from '../../state/contextMenu.svelte.ts';
import { copy, openEntries } from '../batches/fileEntries.ts';
import { ignoreProblems, retryProblems } from './retryProblems.ts';

export interface ProblemActs {
  readonly onchange: () => void;
  readonly look: () => void;
  /** Asks which similar files to leave out. */
  readonly exclude: (row: ProblemRow) => void;
  /** Set when it is not known whether they arrived: asks before anything is decided. */
  readonly ask: ((what: 'again' | 'delivered', ids: readonly number[]) => void) | null;
}

export function problemEntries(rows: readonly ProblemRow[], acts: ProblemActs): MenuEntries {
  const [row] = rows;
  if (row === undefined) return [];
  const ids = rows.flatMap((one) => one.ids);
  const { onchange, ask } = acts;
  const many = rows.length > 1;
  const named = (label: string): string => (many ? `${label} (${String(rows.length)})` : label);
  const decide: MenuEntries =
    ask === null
      ? [
          {
            label: named('Try again'),
            icon: RotateCw,
            run: () => void retryProblems({ ids }, onchange),
          },
        ]
      : [
          { label: named('Send again…'), icon: RotateCw, run: () => ask('again', ids) },
          {
            label: named('Mark as delivered…'),
            icon: BadgeCheck,
            run: () => ask('delivered', ids),
          },
        ];
  return [
    ...(many ? [] : openEntries(row.id, row.batchId, acts.look)),
    ...decide,
    {
      label: named('Ignore'),
      icon: Ban,
      run: () => void ignoreProblems({ ids }, onchange).then(onchange),
    },
    ...(many
      ? []
      : [
          {
            label: 'Always exclude files like this…',
            icon: FileX,
            disabled: row.watchId === null,
            run: () => acts.exclude(row),
          },
        ]),
    null,
    {
      label: named('Copy path'),
      icon: Copy,
      run: () =>
        void copy(
          rows.map((one) => one.id),
          'path',
        ),
    },
  ];
}
