/** A pipeline for unit tests: it touches no disk and no network unless a test says so. */
import type { Pipeline } from '../../main/engine/pipeline/context.ts';
import type { Clock, Files, Http, Ports } from '../../main/engine/core/ports.ts';
import { createInlineFiles } from './inlineFiles.ts';
import { createPipeline } from '../../main/engine/runner/createPipeline.ts';
import { createServiceClient } from '../../main/engine/service/api/client.ts';
import type { ServiceClient } from '../../main/engine/service/serviceClient.ts';
import type { TestLedger } from './ledger.ts';
import { createManualClock } from './manualClock.ts';

export interface PipelineParts {
  readonly clock?: Clock;
  readonly files?: Files;
  readonly client?: Partial<ServiceClient>;
}

const SILENT: Http = {
  request: () =>
    Promise.resolve({ kind: 'failure', fault: 'refused', maybeSent: false, detail: 'unit test' }),
  close: () => Promise.resolve(),
};

/** Creates a pipeline over a ledger. Without `parts`, the network refuses everything. */
export function createTestPipeline(ledger: TestLedger, parts: PipelineParts = {}): Pipeline {
  const ports: Ports = {
    clock: parts.clock ?? createManualClock(),
    http: SILENT,
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
    carrierMemory: { read: () => 'query', write: () => undefined },
  });
  const { store, connectionId } = ledger;
  const { signal } = new AbortController();
  const whole = { ...client, ...parts.client };
  return createPipeline({ ports, store, client: whole, connectionId, signal }, { bases: null });
}
