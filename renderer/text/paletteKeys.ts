/** A shortcut as listed; `mod` is Ctrl, or Cmd on a Mac. */
export interface Shortcut {
  readonly keys: readonly string[];
  readonly does: string;
}

export const SHORTCUTS: readonly {
  readonly where: string;
  readonly list: readonly Shortcut[];
}[] = [
  {
    where: 'Everywhere',
    list: [
      { keys: ['mod', 'K'], does: 'Search or run a command' },
      { keys: ['mod', '1…6'], does: 'Uploads, Batches, Jobs, Projects, Problems, Settings' },
      { keys: ['mod', ','], does: 'Settings' },
      { keys: ['mod', 'N'], does: 'Watch a folder' },
      { keys: ['mod', 'O'], does: 'Upload a folder once' },
      { keys: ['/'], does: 'Search this list' },
      { keys: ['F5'], does: 'Scan for new files' },
      { keys: ['Alt', '←'], does: 'Back' },
      { keys: ['Alt', '→'], does: 'Forward' },
      { keys: ['?'], does: 'This list' },
      { keys: ['Esc'], does: 'Close' },
    ],
  },
  {
    where: 'In lists',
    list: [
      { keys: ['↑', '↓'], does: 'Next and previous row' },
      { keys: ['Page ↑', 'Page ↓'], does: 'Page up and down' },
      { keys: ['Home', 'End'], does: 'First and last row' },
      { keys: ['A…Z'], does: 'Jump to row by typing' },
      { keys: ['Enter'], does: 'Open the row' },
      { keys: ['Space'], does: 'Quick look at a file' },
      { keys: ['Shift', '↑↓'], does: 'Mark several rows' },
      { keys: ['Shift', 'F10'], does: 'Row menu' },
      { keys: ['Shift', '←→'], does: 'On a column heading: its width' },
    ],
  },
  {
    where: 'In projects',
    list: [
      { keys: ['←', '→'], does: 'Close and open a folder' },
      { keys: ['M'], does: 'Move the project to another folder' },
      { keys: ['D'], does: 'In insights: show definitions' },
    ],
  },
];

export function keyName(key: string, platform: string): string {
  if (key !== 'mod') return key;
  return platform === 'darwin' ? '⌘' : 'Ctrl';
}

export type KeyCommand =
  | { readonly kind: 'palette' }
  | { readonly kind: 'shortcuts' }
  /** Moves to the search box of the visible list. */
  | { readonly kind: 'search' }
  | { readonly kind: 'watch' }
  | { readonly kind: 'once' }
  | { readonly kind: 'view'; readonly index: number }
  | { readonly kind: 'history'; readonly steps: -1 | 1 }
  | null;

/** Reads a pressed key; null when it is not one of the window's, or while the user is typing text. */
export function keyCommand(
  event: {
    readonly key: string;
    readonly ctrlKey: boolean;
    readonly metaKey: boolean;
    readonly altKey: boolean;
    readonly shiftKey: boolean;
  },
  typing: boolean,
): KeyCommand {
  const mod = event.ctrlKey || event.metaKey;
  if (event.altKey) {
    if (mod || typing) return null;
    if (event.key === 'ArrowLeft') return { kind: 'history', steps: -1 };
    return event.key === 'ArrowRight' ? { kind: 'history', steps: 1 } : null;
  }
  if (mod && !event.shiftKey && event.key.toLowerCase() === 'k') return { kind: 'palette' };
  if (mod && !event.shiftKey && event.key.toLowerCase() === 'n') return { kind: 'watch' };
  if (mod && !event.shiftKey && event.key.toLowerCase() === 'o') return { kind: 'once' };
  if (mod && event.key === ',') return { kind: 'view', index: 5 };
  if (mod && /^[1-6]$/.test(event.key)) return { kind: 'view', index: Number(event.key) - 1 };
  if (!mod && !typing && event.key === '/') return { kind: 'search' };
  if (!mod && !typing && event.key === '?') return { kind: 'shortcuts' };
  return null;
}
