/** What a webhook of the service says, read leniently. It is only a hint: the service is asked before acting on it. */
import { z } from 'zod';
import { maybeText } from './parts.ts';

/** A notification in our own terms. */
export interface WebhookEvent {
  /** The same for every delivery of one event. */
  readonly eventId: string;
  readonly kind: 'ingest' | 'files' | 'job';
  /** The batch of an ingest; null for a job. */
  readonly batchId: string | null;
  /** null for an ingest. */
  readonly jobId: string | null;
  /** Whether it reports success; null when it says nothing that can be read. */
  readonly success: boolean | null;
}

const eventId = z.string().min(1).max(200);
/** No real name is longer. */
const name = z.string().min(1).max(200);

const stagingEvent = z
  .object({
    type: z.string().regex(/^roboflow-data-staging-notification-v\d+$/),
    event_id: eventId,
    batch_id: name,
    notification: z.object({
      type: z.string().regex(/^ingest-(files-)?status-notification-v\d+$/),
      success: z.boolean().nullish().catch(null),
    }),
  })
  .transform(({ event_id, batch_id, notification }): WebhookEvent => ({
    eventId: event_id,
    kind: notification.type.startsWith('ingest-files-') ? 'files' : 'ingest',
    batchId: batch_id,
    jobId: null,
    success: notification.success ?? null,
  }));

function jobSuccess(state: string | null): boolean | null {
  if (state === null) return null;
  if (/^succe(ss|eded)/i.test(state)) return true;
  return /^(fail|error|abort)/i.test(state) ? false : null;
}

const jobEvent = z
  .object({
    type: z.string().regex(/^roboflow-batch-job-notification-v\d+$/),
    event_id: eventId,
    job_id: name,
    job_state: maybeText.catch(null),
  })
  .transform(({ event_id, job_id, job_state }): WebhookEvent => ({
    eventId: event_id,
    kind: 'job',
    batchId: null,
    jobId: job_id,
    success: jobSuccess(job_state),
  }));

const anyEvent = z.union([stagingEvent, jobEvent]);

/** Reads a notification; null for anything else. */
export function readWebhook(body: unknown): WebhookEvent | null {
  const event = anyEvent.safeParse(body);
  return event.success ? event.data : null;
}
