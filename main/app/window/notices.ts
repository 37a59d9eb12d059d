/** Sentences that need to be said once, until somebody puts them away. */

interface Notice {
  readonly id: string;
  readonly text: string;
}

export interface Notices {
  say(id: string, text: string): void;
  /** Says it while it holds, also at later starts, until it is put away; said again when it holds anew. */
  sayWhile(holds: boolean, id: string, text: string): void;
  dismiss(id: string): void;
  all(): readonly Notice[];
}

/** The lasting notices that were put away, kept over starts. */
export interface PutAway {
  read(): readonly string[];
  write(ids: readonly string[]): void;
}

const MOST = 20;

/** Makes an empty list; the same id is said once. */
export function createNotices(putAway: PutAway): Notices {
  const said = new Map<string, string>();
  const lasting = new Set<string>();
  const say: Notices['say'] = (id, text) => {
    if (said.size < MOST || said.has(id)) said.set(id, text);
  };
  return {
    say,
    sayWhile: (holds, id, text) => {
      const away = putAway.read().includes(id);
      if (holds && !away) {
        lasting.add(id);
        return say(id, text);
      }
      said.delete(id);
      if (!holds && away) putAway.write(putAway.read().filter((other) => other !== id));
    },
    dismiss: (id) => {
      said.delete(id);
      if (lasting.has(id) && !putAway.read().includes(id)) putAway.write([...putAway.read(), id]);
    },
    all: () => [...said].map(([id, text]) => ({ id, text })),
  };
}
