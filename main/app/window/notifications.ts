/** Desktop notifications, of the kinds that the user wants. */
import { Notification } from 'electron';
import type { EngineEvent } from '../../engine/host/events.ts';
import type { WindowSettings } from '../system/settingsFile.ts';

/** What is shown, and the view that a click opens. */
export interface NotificationText {
  readonly title: string;
  readonly body: string;
  readonly to: string;
}

function files(count: number): string {
  return count === 1 ? '1 file' : `${count} files`;
}

function resultsNotification(event: Extract<EngineEvent, { kind: 'fetched' }>): NotificationText {
  const to = `batches/${event.batchId}`;
  const body = `${files(event.files)} of batch ${event.batchId} in ${event.to}`;
  if (event.missing === 0) return { title: 'Results are here', body, to };
  const missing = `${files(event.missing)} could not be downloaded`;
  return { title: 'Some results are missing', body: `${missing}; ${body}`, to };
}

/** The notification for an event; null when the user does not want this kind. Pure. */
export function toNotification(
  event: EngineEvent,
  wanted: WindowSettings['notifications'],
): NotificationText | null {
  switch (event.kind) {
    case 'confirmed': {
      const body = `${files(event.files)} in batch ${event.batchId}`;
      return wanted.confirmed
        ? { title: 'Upload confirmed', body, to: `batches/${event.batchId}` }
        : null;
    }
    case 'job':
      return wanted.jobs
        ? {
            title: event.succeeded ? 'Job done' : 'Job failed',
            body: event.message === null ? event.jobId : `${event.jobId}: ${event.message}`,
            to: `jobs/${event.jobId}`,
          }
        : null;
    case 'fetched':
      return wanted.jobs ? resultsNotification(event) : null;
    case 'attention':
      return wanted.problems
        ? {
            title: 'Sluice needs you',
            body: `${files(event.count)} could not be sent`,
            to: 'problems',
          }
        : null;
  }
}

/** Keeps shown notifications from being garbage-collected until they are closed. */
const shown = new Set<Notification>();

/** Shows a notification; a click opens its view. */
export function notify(text: NotificationText, open: (to: string) => void): void {
  if (!Notification.isSupported()) return;
  const notification = new Notification({ title: text.title, body: text.body });
  shown.add(notification);
  notification.on('click', () => {
    shown.delete(notification);
    open(text.to);
  });
  notification.on('close', () => shown.delete(notification));
  notification.show();
}
