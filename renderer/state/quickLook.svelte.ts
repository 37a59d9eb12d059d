/** The file shown in Quick Look, and the way to its neighbours in the list. */

export interface QuickLookOf {
  readonly id: number;
  /** Moves the list's choice by a step; the list then shows that file. */
  readonly move: ((step: -1 | 1) => void) | null;
}

let current = $state.raw<QuickLookOf | null>(null);

export function quickLook(): QuickLookOf | null {
  return current;
}

export function lookAt(next: QuickLookOf | null): void {
  current = next;
}
