/** The width of the list next to a detail; the same in every view, stored on this computer. */

export interface ListWidth {
  /** px */
  value: number;
  readonly least: number;
  readonly usual: number;
}

const KEY = 'list-width';
const LEAST = 300;
const USUAL = 372;

function kept(): number {
  const value = Number(localStorage.getItem(KEY));
  return Number.isFinite(value) && value >= LEAST ? value : USUAL;
}

let current = $state<number | null>(null);

const width: ListWidth = {
  least: LEAST,
  usual: USUAL,
  get value() {
    return current ?? kept();
  },
  set value(next) {
    current = next;
    localStorage.setItem(KEY, String(next));
  },
};

export function listWidth(): ListWidth {
  return width;
}
