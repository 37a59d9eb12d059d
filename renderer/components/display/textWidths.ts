const canvas = new OffscreenCanvas(1, 1);

/** Widths in px of texts as the element would draw them. */
export function textWidths(element: HTMLElement): (text: string) => number {
  const pen = canvas.getContext('2d');
  if (pen === null) return () => 0;
  const { fontWeight, fontSize, fontFamily, letterSpacing } = getComputedStyle(element);
  // The `font` shorthand is empty when ligatures or figure styles are set.
  pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
  pen.letterSpacing = letterSpacing === 'normal' ? '0px' : letterSpacing;
  return (text) => pen.measureText(text).width;
}
