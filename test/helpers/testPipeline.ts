/** A line for unit tests: nothing of it touches a disk or a network unless a test says so. */
import { createEngineTime } from '../../main/engine/evidence/engineTime.ts';
import { createGate } from '../../main/engine/evidence/gate.ts';
import { createForeignNames } from '../../main/engine/pipeline/foreignNames.ts';
import { createRefusals } from '../../main/engine/pipeline/refusals.ts';
import type { Pipeline } from '../../main/engine/pipeline/context.ts';
import type { Clock, Files, Http, Ports } from '../../main/engine/core/ports.ts';
import { createInlineFiles } from './inlineFiles.ts';
import { STANDARD_TIMES } from '../../main/engine/runner/pipelineTimes.ts';
import { createServiceClient } from '../../main/engine/service/api/client.ts';
import type { ServiceClient } from '../../main/engine/service/serviceClient.ts';
import type { TestLedger } from './ledger.ts';
import { createManualClock } from './manualClock.ts';

export interface PipelineParts {
  readonly clock?: Clock;
  readonly files?: Files;
  readonly http?: Http;
  readonly client?: Partial<ServiceClient>;
}

const SILENT: Http = {
  request: () =>
    Promise.resolve({ kind: 'failure', fault: 'refused', maybeSent: false, detail: 'unit test' }),
  close: () => Promise.resolve(),
};

/** Makes a line over a ledger. Without parts, the network refuses everything. */
export function createTestPipeline(ledger: TestLedger, parts: PipelineParts = {}): Pipeline {
  const ports: Ports = {
    clock: parts.clock ?? createManualClock(),
    http: parts.http ?? SILENT,
    files: parts.files ?? createInlineFiles(),
    random: { fraction: () => 0.5, token: (length) => 'a'.repeat(length) },
    log: { write: () => undefined },
  };
  const client = createServiceClient({
    ...ports,
    connection: {
      apiUrl: 'http://127.0.0.1:1',
      projectsUrl: 'http://127.0.0.1:1',
      apiKey: 'unit-test-key',
      workspace: 'demo',
    },
    dialectMemory: { read: () => null, write: () => undefined },
    carrierMemory: { isKnown: () => true, read: () => 'query', write: () => undefined },
  });
  return {
    ports,
    store: ledger.store,
    client: { ...client, ...parts.client },
    connectionId: ledger.connectionId,
    bases: null,
    times: STANDARD_TIMES,
    signal: new AbortController().signal,
    gate: createGate(
      STANDARD_TIMES,
      () => ports.clock.monotonicMs(),
      () => 0.5,
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
