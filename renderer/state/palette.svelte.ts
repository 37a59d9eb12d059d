/** Whether the command palette or the list of keyboard shortcuts is open. */

let open = $state<'none' | 'palette' | 'shortcuts'>('none');

/** What is open now. */
export function paletteOpen(): 'none' | 'palette' | 'shortcuts' {
  return open;
}

/** Opens the palette. */
export function showPalette(): void {
  open = 'palette';
}

/** Opens the list of shortcuts. */
export function showShortcuts(): void {
  open = 'shortcuts';
}

/** Closes both. */
export function closePalette(): void {
  open = 'none';
}
