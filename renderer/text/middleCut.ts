/** Cuts a name or a path in the middle, so that both its beginning and its end stay readable. Pure. */

const DOTS = '…';
/** The end of a name says more than its beginning: it has dates, numbers and extensions. */
const TAIL_FRACTION = 0.6;

/** The longest text that fits: whole, or without its middle. A path keeps whole segments, as long as its last one fits. */
export function middleCut(text: string, fits: (shown: string) => boolean): string {
  if (fits(text)) return text;
  const separator = text.includes('/') ? '/' : '\\';
  const segments = text.split(separator);
  for (let kept = segments.length - 1; kept >= 1; kept--) {
    // With three or more segments, the first identifies the disk or the home directory.
    const head = kept > 2 ? segments.slice(0, segments[0] === '' ? 2 : 1) : [];
    const tail = segments.slice(segments.length - (kept - head.length));
    if (tail.length === 0 || head.length + tail.length >= segments.length) continue;
    const shown = [...head, DOTS, ...tail].join(separator);
    if (fits(shown)) return shown;
  }
  const last = segments.at(-1) ?? text;
  // Without this mark, it would look like a name.
  const mark = segments.length > 1 && fits(`${DOTS}${separator}${DOTS}`) ? DOTS + separator : '';
  return mark + cutLetters(last, (shown) => fits(mark + shown));
}

function cutLetters(name: string, fits: (shown: string) => boolean): string {
  const letters = [...name];
  const cut = (kept: number): string => {
    const tail = Math.ceil(kept * TAIL_FRACTION);
    const head = letters.slice(0, kept - tail).join('');
    return `${head}${DOTS}${tail === 0 ? '' : letters.slice(-tail).join('')}`;
  };
  let low = 0;
  let high = letters.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(cut(middle))) low = middle;
    else high = middle - 1;
  }
  return cut(low);
}
