/** Whether the service answers: a wrapper around the Http port that remembers, and asks again while nothing answers. */
import type { Clock, Http } from './ports.ts';

export interface Reach {
  readonly http: Http;
  /** Monotonic instant since which nothing has answered; null while the service answers. */
  silentSince(): number | null;
  /** True once anything was answered. */
  everAnswered(): boolean;
}

/** Wraps the port; `onBack` is called when an answer ends a silence. */
export function trackReach(http: Http, clock: Clock, onBack: () => void): Reach {
  let silentSince: number | null = null;
  let answered = false;
  return {
    http: {
      ...http,
      close: () => http.close(),
      request: async (request) => {
        const began = clock.monotonicMs();
        const result = await http.request(request);
        if (result.kind === 'answer') {
          answered = true;
          const wasSilent = silentSince !== null;
          silentSince = null;
          if (wasSilent) onBack();
        } else if (result.fault !== 'aborted') {
          silentSince ??= began;
        }
        return result;
      },
    },
    silentSince: () => silentSince,
    everAnswered: () => answered,
  };
}
