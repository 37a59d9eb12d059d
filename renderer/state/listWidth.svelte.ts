/** The width of the list next to a detail; the same in every view, stored on this computer. */

const KEY = 'list-width';
const LEAST = 300;
const USUAL = 372;

function kept(): number {
  const value = Number(localStorage.getItem(KEY));
  return Number.isFinite(value) && value >= LEAST ? value : USUAL;
}

let current = $state<number | null>(null);

export const listWidth = {
  least: LEAST,
  usual: USUAL,
  /** px */
  get value() {
    return current ?? kept();
  },
  set value(next: number) {
    current = next;
    localStorage.setItem(KEY, String(next));
  },
};
