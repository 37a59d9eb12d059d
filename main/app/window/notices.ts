/** Notices: sentences that the window shows until the user dismisses them. */

/** Ids of the dismissed persistent notices, kept across restarts. */
export interface DismissedNotices {
  read(): readonly string[];
  write(ids: readonly string[]): void;
}

const MAX_NOTICES = 20;

export function createNotices(dismissed: DismissedNotices) {
  const shown = new Map<string, string>();
  const lasting = new Set<string>();
  const add = (id: string, text: string): void => {
    if (shown.size < MAX_NOTICES || shown.has(id)) shown.set(id, text);
  };
  return {
    /** Shows a notice; a second one with the same id replaces it. */
    add,
    /** Shows a notice while `holds` is true, also after a restart, until it is dismissed; again if `holds` becomes false and then true. */
    addWhile: (holds: boolean, id: string, text: string) => {
      const isDismissed = dismissed.read().includes(id);
      if (holds && !isDismissed) {
        lasting.add(id);
        return add(id, text);
      }
      shown.delete(id);
      if (!holds && isDismissed) dismissed.write(dismissed.read().filter((other) => other !== id));
    },
    dismiss: (id: string) => {
      shown.delete(id);
      if (lasting.has(id) && !dismissed.read().includes(id))
        dismissed.write([...dismissed.read(), id]);
    },
    all: () => [...shown].map(([id, text]) => ({ id, text })),
  };
}

export type Notices = ReturnType<typeof createNotices>;
