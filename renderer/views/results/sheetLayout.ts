/** The contact sheet: how many images stand side by side, and where the keyboard leads. Pure. */

/** The least width of an image with its gap, px. */
const CELL = 152;

/** Images in a row. */
export function imagesPerRow(width: number): number {
  return Math.max(1, Math.floor(width / CELL));
}

/** Where a key leads from an image (-1: none is chosen yet); null when the key means nothing here. */
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
