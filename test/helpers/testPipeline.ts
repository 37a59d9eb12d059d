/** A pipeline for unit tests, and where its files go: it touches no disk and no network unless a test says so. */
import type { Pipeline } from '../../main/engine/pipeline/context.ts';
import type { RemoteFile } from '../../main/engine/core/model.ts';
import type { Clock, Files, Http, Ports } from '../../main/engine/core/ports.ts';
import { createInlineFiles } from './inlineFiles.ts';
import { createPipeline } from '../../main/engine/runner/createPipeline.ts';
import { createServiceClient } from '../../main/engine/service/api/client.ts';
import type { ServiceClient } from '../../main/engine/service/serviceClient.ts';
import type { Target } from '../../main/engine/pipeline/plan/target.ts';
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
export function createTestPipeline(
  { store, connectionId }: Pick<TestLedger, 'store' | 'connectionId'>,
  parts: PipelineParts = {},
): Pipeline {
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
  const { signal } = new AbortController();
  const whole = { ...client, ...parts.client };
  return createPipeline({ ports, store, client: whole, connectionId, signal }, { bases: null });
}

/** A file as the service lists it. */
export function listedFile(fileName: string): RemoteFile {
  const url = `http://127.0.0.1:1/${fileName}`;
  return { fileName, url, partName: null, shardId: null, contentType: 'image/jpeg' };
}

/** Images of a command go to the ledger's batch together, unless `given` says otherwise. */
export function targetOf({ destinationId }: TestLedger, given: Partial<Target> = {}): Target {
  return {
    destinationId,
    baseId: 'batch-1',
    displayName: null,
    mode: 'bulk',
    mainKind: null,
    notification: null,
    chooseBase: null,
    maxItems: null,
    hasHostInId: false,
    isShared: false,
    watchId: null,
    scanned: () => true,
    ...given,
  };
}
