/** What a webhook of the service says, read leniently. It is only a hint: the service is asked before acting on it. */
import { z } from 'zod';
import { once } from '../../core/contract.ts';

/** A notification in our own terms. */
export interface WebhookEvent {
  /** The same for every delivery of one event. */
  readonly eventId: string;
  /** The batch of an ingest; null for a job. */
  readonly batchId: string | null;
}

/** No real id or name is longer. */
const name = once(() => z.string().min(1).max(200));

const stagingEvent = once(() =>
  z
    .object({
      type: z.string().regex(/^roboflow-data-staging-notification-v\d+$/),
      event_id: name(),
      batch_id: name(),
      notification: z.object({
        type: z.string().regex(/^ingest-(files-)?status-notification-v\d+$/),
      }),
    })
    .transform(({ event_id, batch_id }): WebhookEvent => ({
      eventId: event_id,
      batchId: batch_id,
    })),
);

const jobEvent = once(() =>
  z
    .object({
      type: z.string().regex(/^roboflow-batch-job-notification-v\d+$/),
      event_id: name(),
      job_id: name(),
    })
    .transform(({ event_id }): WebhookEvent => ({ eventId: event_id, batchId: null })),
);

const anyEvent = once(() => z.union([stagingEvent(), jobEvent()]));

/** Reads a notification; null for anything else. */
export function readWebhook(body: unknown): WebhookEvent | null {
  const event = anyEvent().safeParse(body);
  return event.success ? event.data : null;
}
