/** Webhooks of the service: what they contain and how they are delivered. */
import { randomUUID } from 'node:crypto';
import type { Service } from './service.ts';
import type { Job } from './state.ts';

/** A file of an ingest that was not accepted. */
export interface FailedFile {
  readonly type: string;
  readonly fileName: string;
  readonly reason: string;
}

/** How long a receiver may take, ms. */
const RECEIVER_PATIENCE_MS = 5000;

/** Reports a finished shard: which files were accepted and which not, then how the ingest ended. */
export function announceShard(
  service: Service,
  url: string,
  shard: {
    readonly batchId: string;
    readonly shardId: string;
    readonly ingestId: string | null;
    readonly ingested: readonly string[];
    readonly failed: readonly FailedFile[];
  },
): void {
  const head = {
    type: 'roboflow-data-staging-notification-v1',
    ingest_id: shard.ingestId,
    batch_id: shard.batchId,
    shard_id: shard.shardId,
  };
  deliver(service, url, {
    ...head,
    notification: {
      type: 'ingest-files-status-notification-v1',
      success: shard.failed.length === 0,
      ingested_files: shard.ingested,
      failed_files: shard.failed.map(({ type, fileName, reason }) => ({
        type,
        file_name: fileName,
        reason,
      })),
      content_truncated: false,
    },
  });
  deliver(service, url, {
    ...head,
    notification: {
      type: 'ingest-status-notification-v1',
      success: shard.ingested.length > 0,
      error_details: null,
    },
  });
}

/** Reports that a job ended. */
export function announceJob(service: Service, job: Job): void {
  if (job.notificationsUrl === null) return;
  deliver(service, job.notificationsUrl, {
    type: 'roboflow-batch-job-notification-v1',
    job_id: job.jobId,
    job_state: job.error ? 'fail' : 'success',
  });
}

function deliver(service: Service, url: string, body: Readonly<Record<string, unknown>>): void {
  const { clock, settings } = service.state;
  if (settings.webhooks === 'never') return;
  const event = { ...body, event_id: randomUUID() };
  const attempt = async (number: number): Promise<void> => {
    const sent = { ...event, delivery_attempt: number };
    const status = await post(url, service.state.workspace, sent);
    service.state.webhooks.push({ url, body: sent, attempt: number, status, at: clock.now() });
    const isTaken = status !== null && status < 300;
    const repeats = settings.webhooks === 'twice' && number === 1;
    if ((!isTaken && number < settings.webhookTries) || repeats)
      clock.after(settings.webhookRetryMs, () => attempt(number + 1));
  };
  clock.after(0, () => attempt(1));
}

async function post(
  url: string,
  workspace: string,
  body: Readonly<Record<string, unknown>>,
): Promise<number | null> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer rf_${workspace}` },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(RECEIVER_PATIENCE_MS),
    });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return null;
  }
}
