export const SEND_MODES = [
  { value: 'auto', label: 'Automatic' },
  { value: 'single', label: 'One at a time' },
  { value: 'bulk', label: 'In archives' },
] as const;
export type SendMode = (typeof SEND_MODES)[number]['value'];

/** What a choice means, in a sentence or two. */
export function sendModeWords(mode: SendMode): string {
  switch (mode) {
    case 'auto':
      return 'More than 32 images are packed into archives of up to 500. Videos always go one at a time.';
    case 'single':
      return 'Each image is uploaded by itself; the first ones arrive soonest.';
    case 'bulk':
      return 'Up to 500 images per archive: fastest for many images.';
  }
}
