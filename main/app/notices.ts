/** Sentences that need to be said once, until somebody puts them away. */

export interface Notice {
  readonly id: string;
  readonly text: string;
}

export interface Notices {
  say(id: string, text: string): void;
  dismiss(id: string): void;
  all(): readonly Notice[];
}

const MOST = 20;

/** Makes an empty list; the same id is said once. */
export function createNotices(): Notices {
  const said = new Map<string, string>();
  return {
    say: (id, text) => {
      if (said.size < MOST || said.has(id)) said.set(id, text);
    },
    dismiss: (id) => void said.delete(id),
    all: () => [...said].map(([id, text]) => ({ id, text })),
  };
}
