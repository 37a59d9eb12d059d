/** Notices: sentences that the window shows until the user dismisses them. */
import type { WindowSettings } from '../system/settingsFile.ts';

/** `putAway`: ids of the dismissed persistent notices, kept across restarts. */
interface DismissedNotices {
  read(): Pick<WindowSettings, 'putAway'>;
  write(dismissed: Pick<WindowSettings, 'putAway'>): void;
}

const MAX_NOTICES = 20;

export function createNotices(file: DismissedNotices) {
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
      const { putAway } = file.read();
      const isDismissed = putAway.includes(id);
      if (holds && !isDismissed) {
        lasting.add(id);
        return add(id, text);
      }
      shown.delete(id);
      if (!holds && isDismissed) file.write({ putAway: putAway.filter((other) => other !== id) });
    },
    dismiss: (id: string) => {
      shown.delete(id);
      const { putAway } = file.read();
      if (lasting.has(id) && !putAway.includes(id)) file.write({ putAway: [...putAway, id] });
    },
    all: () => [...shown].map(([id, text]) => ({ id, text })),
  };
}

export type Notices = ReturnType<typeof createNotices>;
