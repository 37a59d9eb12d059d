/** The contact sheet: how many images fit side by side, and where the keyboard moves to. Pure. */

/** The minimum width of an image with its gap, in px. */
const CELL = 152;

export function imagesPerRow(width: number): number {
  return Math.max(1, Math.floor(width / CELL));
}

/** Where a key moves from an image (-1: none chosen yet); null when the key has no meaning here. */
export function moveInSheet(
  key: string,
  from: number,
  total: number,
  { perRow, rowsShown }: { readonly perRow: number; readonly rowsShown: number },
): number | null {
  if (total === 0) return null;
  const page = perRow * Math.max(1, rowsShown - 1);
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: 1,
    ArrowLeft: -1,
    ArrowDown: perRow,
    ArrowUp: -perRow,
    PageDown: page,
    PageUp: -page,
    Home: -total,
    End: total,
  };
  const step = steps[key];
  if (step === undefined) return null;
  if (from === -1) return key === 'End' ? total - 1 : 0;
  return Math.min(total - 1, Math.max(0, from + step));
}
