/** Data staging beyond the specification: the key's workspace, lists and metadata of batches. */
import type { FastifyInstance } from 'fastify';
import { instant, mount, page, type Answer, type Call } from './api.ts';
import { existingBatch } from './batches.ts';
import { Refusal } from './refusal.ts';
import { BATCH_PATH } from './routesStaging.ts';
import type { Service } from './service.ts';
import type { Batch } from './state.ts';

export function mountStagingExtras(app: FastifyInstance, service: Service): void {
  const extra = { isExtra: true } as const;
  mount(app, service, {
    ...extra,
    method: 'GET',
    path: '/',
    run: () => ({ body: { workspace: service.state.workspace } }),
  });
  mount(app, service, {
    ...extra,
    method: 'GET',
    path: '/data-staging/v1/external/:workspace/batches',
    query: ['pageSize', 'nextPageToken'],
    run: list,
  });
  mount(app, service, {
    ...extra,
    method: 'GET',
    path: BATCH_PATH,
    run: metadata,
  });
}

function metadata(call: Call): Answer {
  const { service } = call;
  const batch = existingBatch(service, call.param('batchId'));
  if (!service.state.settings.statesTimes) throw new Refusal(404, 'Not found.');
  return { body: { status: 'ok', batch: record(service, batch) } };
}

function record(service: Service, batch: Batch): Readonly<Record<string, unknown>> {
  const dates = {
    createdDate: instant(batch.createdAt),
    expiryDate: instant(batch.expiresAt),
  };
  return {
    displayName: batch.displayName,
    batchId: batch.batchId,
    batchType: batch.type,
    batchContentType: batch.contentType,
    ...(service.state.settings.statesTimes ? dates : {}),
  };
}

function list(call: Call): Answer {
  const { state } = call.service;
  const alive = [...state.batches.keys()].flatMap((batchId) => state.batch(batchId) ?? []);
  const { items, nextPageToken } = page(call, alive, state.settings.pageSize);
  return {
    body: { status: 'ok', nextPageToken, batches: items.map((one) => record(call.service, one)) },
  };
}
