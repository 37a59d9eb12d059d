/** A pipeline without lanes, for commands that run a single step beside the owner of the ledger. */
import { createEngineTime } from '../evidence/engineTime.ts';
import { createGate } from '../evidence/gate.ts';
import { STANDARD_TIMES } from './pipelineTimes.ts';
import { createForeignNames } from '../pipeline/foreignNames.ts';
import { createRefusals } from '../pipeline/refusals.ts';
import type { Pipeline } from '../pipeline/context.ts';
import type { Ports } from '../core/ports.ts';
import type { ServiceClient } from '../service/serviceClient.ts';
import type { Store } from '../store/store.ts';

/** Makes a pipeline of a connection that runs nothing by itself. */
export function createPipeline(
  ports: Ports,
  store: Store,
  client: ServiceClient,
  connectionId: number,
  signal: AbortSignal,
): Pipeline {
  return {
    ports,
    store,
    client,
    connectionId,
    bases: [],
    times: STANDARD_TIMES,
    signal,
    gate: createGate(
      STANDARD_TIMES,
      () => ports.clock.monotonicMs(),
      () => ports.random.fraction(),
    ),
    time: createEngineTime(ports.clock),
    foreign: createForeignNames(),
    refusals: createRefusals(),
    registering: new Map(),
    storage: { statesOnlyMd5: false, oddEtags: 0 },
    changed: () => undefined,
    wait: () => undefined,
    reached: () => undefined,
    waiting: () => null,
    sentBytes: () => undefined,
  };
}
