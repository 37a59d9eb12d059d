import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readWebhook } from '../../../../../main/engine/service/schemas/webhooks.ts';

const INGEST = {
  type: 'roboflow-data-staging-notification-v1',
  event_id: 'e-1',
  ingest_id: 'i1',
  batch_id: 'b1',
  shard_id: null,
  notification: {
    type: 'ingest-status-notification-v1',
    success: false,
    error_details: { type: 'unsafe-url-detected', reason: 'made up' },
  },
  delivery_attempt: 1,
};
const FILES = {
  ...INGEST,
  event_id: 'e-2',
  shard_id: 's1',
  notification: {
    type: 'ingest-files-status-notification-v1',
    success: true,
    ingested_files: ['a.jpg'],
    failed_files: [{ type: 'file-size-limit-exceeded', file_name: 'big.png', reason: 'made up' }],
    content_truncated: false,
  },
};
const JOB = {
  type: 'roboflow-batch-job-notification-v1',
  event_id: 'e-3',
  job_id: 'job-a1',
  job_state: 'success',
  delivery_attempt: 1,
};

describe('a notification', () => {
  it('of an ingest names the batch', () => {
    expect(readWebhook(INGEST)).toEqual({ eventId: 'e-1', batchId: 'b1' });
  });

  it('of files names the batch', () => {
    expect(readWebhook(FILES)).toEqual({ eventId: 'e-2', batchId: 'b1' });
  });

  it('of a job names no batch', () => {
    expect(readWebhook(JOB)).toEqual({ eventId: 'e-3', batchId: null });
  });

  it('is read with more, less and newer than is documented', () => {
    expect(readWebhook({ ...JOB, surprise: [1], job_state: undefined })).not.toBeNull();
    expect(readWebhook({ ...JOB, job_state: { deep: 1 } })).not.toBeNull();
    expect(readWebhook({ ...JOB, type: 'roboflow-batch-job-notification-v2' })).not.toBeNull();
    const { ingest_id: _1, shard_id: _2, delivery_attempt: _3, ...least } = INGEST;
    expect(readWebhook(least)?.batchId).toBe('b1');
    const notification = { type: 'ingest-status-notification-v1', success: 'yes' };
    expect(readWebhook({ ...INGEST, notification })?.batchId).toBe('b1');
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['text', 'roboflow-batch-job-notification-v1'],
    ['a list', [JOB]],
    ['no event', {}],
    ['another sender', { ...JOB, type: 'other-v1' }],
    ['no id', { ...JOB, event_id: undefined }],
    ['an empty id', { ...JOB, event_id: '' }],
    ['an endless id', { ...JOB, event_id: 'x'.repeat(201) }],
    ['a job without a name', { ...JOB, job_id: null }],
    ['an ingest without a batch', { ...INGEST, batch_id: 7 }],
    ['an ingest without a notification', { ...INGEST, notification: null }],
    ['a notification of another kind', { ...INGEST, notification: { type: 'party-v1' } }],
  ])('is not %s', (_what, body) => {
    expect(readWebhook(body)).toBeNull();
  });

  it('never throws, whatever comes', () => {
    const mutated = fc.constantFrom(INGEST, FILES, JOB).chain((event) =>
      fc.tuple(fc.constantFrom(...Object.keys(event)), fc.jsonValue()).map(([key, value]) => ({
        ...event,
        [key]: value,
      })),
    );
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), mutated), (body) => {
        const event = readWebhook(body);
        expect(event === null || event.eventId.length > 0).toBe(true);
      }),
    );
  });
});
