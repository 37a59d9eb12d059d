/** Notifications of the desktop: said only where a person wants them. */
import { Notification } from 'electron';
import type { StationNews } from '../../engine/host/events.ts';
import type { WindowSettings } from '../system/settingsFile.ts';

/** What is shown, and the view that a click leads to. */
export interface Told {
  readonly title: string;
  readonly body: string;
  readonly to: string;
}

function files(count: number): string {
  return count === 1 ? '1 file' : `${count} files`;
}

function fetchedTelling(news: Extract<StationNews, { kind: 'fetched' }>): Told {
  const to = `batches/${news.batchId}`;
  const body = `${files(news.files)} of batch ${news.batchId} in ${news.to}`;
  if (news.missing === 0) return { title: 'Results are here', body, to };
  const missing = `${files(news.missing)} could not be downloaded`;
  return { title: 'Some results are missing', body: `${missing}; ${body}`, to };
}

/** What a piece of news says; null when the person does not want to hear it. Pure. */
export function tellingOf(news: StationNews, wanted: WindowSettings['notifications']): Told | null {
  switch (news.kind) {
    case 'confirmed': {
      const body = `${files(news.files)} in batch ${news.batchId}`;
      return wanted.confirmed
        ? { title: 'Upload confirmed', body, to: `batches/${news.batchId}` }
        : null;
    }
    case 'job':
      return wanted.jobs
        ? {
            title: news.succeeded ? 'Job done' : 'Job failed',
            body: news.message === null ? news.jobId : `${news.jobId}: ${news.message}`,
            to: `jobs/${news.jobId}`,
          }
        : null;
    case 'fetched':
      return wanted.jobs ? fetchedTelling(news) : null;
    case 'attention':
      return wanted.problems
        ? {
            title: 'Sluice needs you',
            body: `${files(news.count)} could not be sent`,
            to: 'problems',
          }
        : null;
  }
}

/** Notifications that are shown are kept from being collected until they are closed. */
const shown = new Set<Notification>();

/** Shows a notification; a click opens its view. */
export function notify(told: Told, open: (to: string) => void): void {
  if (!Notification.isSupported()) return;
  const notification = new Notification({ title: told.title, body: told.body });
  shown.add(notification);
  notification.on('click', () => {
    shown.delete(notification);
    open(told.to);
  });
  notification.on('close', () => shown.delete(notification));
  notification.show();
}
