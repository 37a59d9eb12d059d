/** Creates the pipeline that the steps work with. */
import { createEngineTime } from '../evidence/engineTime.ts';
import { Gate } from '../evidence/gate.ts';
import type { Pipeline } from '../pipeline/context.ts';
import { createForeignNames } from '../pipeline/foreignNames.ts';
import { createRefusals } from '../pipeline/refusals.ts';
import { createSentChecksums } from '../pipeline/sentChecksums.ts';
import { MAX_SHARD_BYTES, STANDARD_TIMES } from '../core/limits.ts';
import { UNLIMITED } from '../core/paced.ts';

/** A pipeline of a connection. Without `live` it starts nothing and waits for nothing: for single steps next to the ledger's owner. */
export function createPipeline(
  base: Pick<Pipeline, 'ports' | 'store' | 'client' | 'connectionId' | 'signal'>,
  live: Partial<Pipeline> = {},
): Pipeline {
  return {
    ...base,
    bases: [],
    times: STANDARD_TIMES,
    gate: live.gate ?? new Gate(STANDARD_TIMES, base.ports.clock, base.ports.random),
    time: live.time ?? createEngineTime(base.ports.clock),
    foreign: createForeignNames(),
    refusals: createRefusals(),
    registering: new Map(),
    ending: new Set(),
    startDoubts: new Map(),
    drives: new Set(),
    storage: {
      statesOnlyMd5: false,
      statesImageMd5: false,
      oddEtags: 0,
      statesNothing: false,
      acceptsBytes: MAX_SHARD_BYTES,
      answersOddly: false,
    },
    sentChecksums: createSentChecksums(),
    changed: () => undefined,
    wait: () => undefined,
    reached: () => undefined,
    sentBytes: () => undefined,
    throttle: UNLIMITED,
    ...live,
  };
}
