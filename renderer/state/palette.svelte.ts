let open = $state<'none' | 'palette' | 'shortcuts'>('none');
let after: (() => void) | null = null;

export function paletteOpen(): 'none' | 'palette' | 'shortcuts' {
  return open;
}

export function showPalette(): void {
  open = 'palette';
}

export function showShortcuts(): void {
  open = 'shortcuts';
}

/** Closes both. `then` runs once the palette is gone: a dialog opened earlier would lose the focus to it, and close. */
export function closePalette(then: (() => void) | null = null): void {
  after = then;
  open = 'none';
}

/** The palette has closed: runs what was chosen in it. */
export function paletteGone(): void {
  const chosen = after;
  after = null;
  if (chosen !== null) requestAnimationFrame(chosen);
}
