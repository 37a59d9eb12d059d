/** How files are sent, as a person chooses it. */
export const SEND_MODES = [
  { value: 'auto', label: 'Choose for me' },
  { value: 'single', label: 'One by one' },
  { value: 'bulk', label: 'In bulk' },
] as const;
export type SendMode = (typeof SEND_MODES)[number]['value'];

/** What a choice means; a sentence or two. */
export function sendModeWords(mode: SendMode): string {
  switch (mode) {
    case 'auto':
      return 'More than 32 images go in bulk, fewer one by one. Videos always go one by one.';
    case 'single':
      return 'Each image is a request of its own: the first are there soonest.';
    case 'bulk':
      return 'Up to 500 images travel in one archive: the fastest way for many.';
  }
}
