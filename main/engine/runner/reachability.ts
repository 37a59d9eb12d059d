/** Whether the service answers: learned from how requests end, and by asking again while it does not. */
import type { Clock, Http } from '../core/ports.ts';
import type { EngineTime } from '../evidence/engineTime.ts';
import type { Step } from '../pipeline/lane.ts';
import type { Pipeline } from '../pipeline/context.ts';
import type { RequestEnd } from '../service/api/sending.ts';

/**
 * Creates the tracker of a pipeline. `failing` is called when requests begin to get no answer; `back` when a request of this operation got
 * an answer again.
 */
export function trackReachability(
  clock: Pick<Clock, 'monotonicMs'>,
  time: EngineTime,
  on: { readonly failing: () => void; readonly back: (operation: string) => void },
) {
  /**
   * Requests without a body that have no answer yet, with the times at which they began. A request with a body may take long, so it does
   * not count.
   */
  const open = new Set<{ readonly beganAt: number }>();
  let heardAt = Number.NEGATIVE_INFINITY;
  let acceptedAt = Number.NEGATIVE_INFINITY;
  let failingSince: number | null = null;
  let answered = false;
  let accepted = false;
  return {
    // batchMetadata is an optional extra: if the service lacks it, anything in between may answer, so its failure does not count.
    observe: ({ operation, from, accepted: isAccepted, dateMs, beganAt }: RequestEnd) => {
      if (from !== 'asked') {
        if (operation === 'batchMetadata' || failingSince !== null) return;
        failingSince = beganAt;
        on.failing();
        return;
      }
      heardAt = clock.monotonicMs();
      if (isAccepted) acceptedAt = heardAt;
      if (dateMs !== null) time.note(dateMs, beganAt);
      answered = true;
      // A key may open the workspace and still have no access to anything in it.
      accepted ||= isAccepted && operation !== 'checkKey';
      const hadFailed = failingSince !== null;
      failingSince = null;
      if (hadFailed) on.back(operation);
    },
    /** The same Http, whose requests are tracked while they wait for an answer. */
    noticing: (http: Http): Http => ({
      close: () => http.close(),
      request: async (request) => {
        if (request.method !== 'GET') return http.request(request);
        const asked = { beganAt: clock.monotonicMs() };
        open.add(asked);
        try {
          return await http.request(request);
        } finally {
          open.delete(asked);
        }
      },
    }),
    /** When requests began to fail without an answer, in monotonic ms; null while they are answered. */
    failingSince: (): number | null => failingSince,
    /** When the service became silent, in monotonic ms; null while it answers, and nothing waits for an answer. */
    silentSince: (): number | null => {
      if (failingSince !== null) return failingSince;
      const [first] = open;
      return first === undefined ? null : Math.max(first.beganAt, heardAt);
    },
    /**
     * For how long the service has neither been asked nor accepted a request, in ms. Refusals do not end this time: a refusal that a view
     * of the window gets does not tell the pipeline that the key is no longer accepted.
     */
    quietMs: (): number => (open.size > 0 ? 0 : clock.monotonicMs() - acceptedAt),
    everAnswered: () => answered,
    /** True once the service has accepted a request other than the check of the key. */
    everAccepted: () => accepted,
  };
}

export type Reachability = ReturnType<typeof trackReachability>;

/** A state that was last seen this long ago is no longer shown as current, in ms. Our choice. */
const QUIET_MS = 30_000;

/**
 * Creates the step that asks the service, while the connection does not work, whether it works again. The request is small and changes
 * nothing; work that failed is retried afterwards by its own lane. `asksWhenQuiet`: the step also asks at the start, and whenever no other
 * request was accepted for a while.
 */
export function createProbe(
  pipeline: Pipeline,
  reach: Reachability,
  { asksWhenQuiet, onOpen }: { readonly asksWhenQuiet: boolean; readonly onOpen: () => void },
): Step {
  const { clock } = pipeline.ports;
  const isWorking = (): boolean =>
    pipeline.gate.connection() === null && reach.failingSince() === null;
  return async () => {
    if (isWorking()) {
      if (!asksWhenQuiet) return null;
      const left = QUIET_MS - reach.quietMs();
      if (left > 0) return left;
      const key = await pipeline.client.checkKey(pipeline.signal);
      if (!key.ok && key.error.next === 'wait') pipeline.wait(key.error);
      return QUIET_MS;
    }
    const now = clock.monotonicMs();
    await clock.sleep(Math.max(0, pipeline.gate.probeAt() - now), pipeline.signal);
    // Another request may have been answered meanwhile.
    if (pipeline.signal.aborted || isWorking()) return null;
    await askWhetherThere(pipeline, onOpen);
    return pipeline.signal.aborted ? null : 0;
  };
}

/** Asks the service once whether the connection works; an answer opens the gate. */
export async function askWhetherThere(pipeline: Pipeline, onOpen: () => void): Promise<void> {
  const key = await pipeline.client.checkKey(pipeline.signal);
  if (pipeline.signal.aborted) return;
  const isThere = key.ok || key.error.next === 'park';
  if (!isThere) pipeline.gate.unreached(key.error);
  else if (pipeline.gate.reached()) onOpen();
}
