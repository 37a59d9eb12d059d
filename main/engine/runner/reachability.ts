/** Whether the service answers: learned from how requests end, and by asking again while it does not. */
import type { EngineTime } from '../evidence/engineTime.ts';
import type { Step } from '../pipeline/lane.ts';
import type { Pipeline } from '../pipeline/context.ts';
import type { RequestEnd } from '../service/api/sending.ts';

/** Creates the tracker of a pipeline. `onBack` is called when an answer ends a silence. */
export function trackReachability(time: EngineTime, onBack: () => void) {
  let silentSince: number | null = null;
  let answered = false;
  let accepted = false;
  return {
    // Optional extras of the service may be answered by anything.
    observe: ({ operation, from, accepted: isAccepted, dateMs, beganAt }: RequestEnd) => {
      if (from !== 'asked') {
        if (operation !== 'batchMetadata') silentSince ??= beganAt;
        return;
      }
      if (dateMs !== null) time.note(dateMs, beganAt);
      answered = true;
      // A key may open the workspace and still have no access to anything in it.
      accepted ||= isAccepted && operation !== 'checkKey';
      const wasSilent = silentSince !== null;
      silentSince = null;
      if (wasSilent) onBack();
    },
    /** When the service became silent, in monotonic ms; null while it answers. */
    silentSince: (): number | null => silentSince,
    /** True once the service has answered anything. */
    everAnswered: () => answered,
    /** True once the service has accepted a request other than the check of the key. */
    everAccepted: () => accepted,
  };
}

export type Reachability = ReturnType<typeof trackReachability>;

/**
 * Creates the step that, while the connection does not work, asks the service whether it does again. The request is small and
 * changes nothing; whatever failed is retried afterwards by its own lane.
 */
export function createProbe(pipeline: Pipeline, reach: Reachability, onOpen: () => void): Step {
  return async () => {
    const { clock } = pipeline.ports;
    const blocked = pipeline.gate.connection();
    if (blocked === null && reach.silentSince() === null) return null;
    const pause =
      (blocked?.nextAt ?? clock.monotonicMs() + pipeline.times.gateFirstMs) - clock.monotonicMs();
    await clock.sleep(Math.max(0, pause), pipeline.signal);
    if (pipeline.signal.aborted) return null;
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
