/** Short messages about what the user just did. Anything lasting belongs in a view. */

export interface Toast {
  readonly id: number;
  readonly tone: 'done' | 'error';
  readonly text: string;
  readonly hint?: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

const MOST = 4;
const SHOWN_MS = 6000;
/** An error has to be read, and an action reached: with the keyboard, or a screen reader, that takes more than six seconds. */
const LONG_SHOWN_MS = 15_000;
/** What is in use when its time is over is looked at again after this long. */
const IN_USE_MS = 1000;

let list = $state.raw<readonly Toast[]>([]);
let last = 0;
let isInUse = (): boolean => false;

export function toasts(): readonly Toast[] {
  return list;
}

/** The toasts that stay: a new success replaces an older one, errors stay. */
function standing(toast: Omit<Toast, 'id'>): readonly Toast[] {
  return list.filter(
    ({ text, tone, action }) =>
      text !== toast.text && (tone === 'error' || toast.tone === 'error' || action !== undefined),
  );
}

/** Shows a toast and returns its id; the same text is not shown twice. */
export function addToast(toast: Omit<Toast, 'id'>): number {
  const id = ++last;
  list = [...standing(toast), { ...toast, id }].slice(-MOST);
  const isLong = toast.tone === 'error' || toast.action !== undefined;
  setTimeout(() => expire(id), isLong ? LONG_SHOWN_MS : SHOWN_MS);
  return id;
}

/** Toasts stay while this is true, so that no click goes to what is behind a button that has just vanished. */
export function keepToastsWhile(inUse: () => boolean): void {
  isInUse = inUse;
}

function expire(id: number): void {
  if (isInUse()) setTimeout(() => expire(id), IN_USE_MS);
  else dismissToast(id);
}

export function dismissToast(id: number): void {
  list = list.filter((toast) => toast.id !== id);
}
