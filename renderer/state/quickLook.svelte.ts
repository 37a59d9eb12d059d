/** The file that is looked at closely, and the way to its neighbours in the list. */

/** What a list gives: the file, and how to reach the next or the one before. */
export interface QuickLookOf {
  readonly id: number;
  /** Moves the list's choice by a step; the list then shows the file there. */
  readonly move: ((step: -1 | 1) => void) | null;
}

let current = $state.raw<QuickLookOf | null>(null);

/** What is looked at; null when nothing is. */
export function quickLook(): QuickLookOf | null {
  return current;
}

/** Shows a file, or closes the look with null. */
export function lookAt(next: QuickLookOf | null): void {
  current = next;
}
