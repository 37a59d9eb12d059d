import { Notification } from 'electron';
import { countOf } from '../../../preload/contract/figures.ts';
import type { EngineEvent } from '../../engine/host/events.ts';
import type { WindowSettings } from '../system/settingsFile.ts';

export interface NotificationText {
  readonly title: string;
  readonly body: string;
  /** What a click does, in words; macOS shows it as a button. */
  readonly action: string;
  readonly opens:
    /** `of`: the connections it is about; none for a view that shows all of them. */
    | { readonly kind: 'view'; readonly to: string; readonly of: readonly number[] }
    | { readonly kind: 'folder'; readonly path: string };
}

function view(to: string, of: readonly number[]): NotificationText['opens'] {
  return { kind: 'view', to, of };
}

/** The connection that has to be selected before a view shows what it is about; null when the right one is selected. Pure. */
export function connectionToSelect(
  of: readonly number[],
  selected: number,
  known: readonly number[],
): number | null {
  const ids = of.filter((id) => known.includes(id));
  return ids.includes(selected) ? null : (ids[0] ?? null);
}

function uploaded({
  batchIds,
  files,
  connectionIds,
}: Extract<EngineEvent, { kind: 'confirmed' }>): NotificationText {
  const [batchId, ...more] = batchIds;
  const body =
    batchId === undefined || more.length > 0
      ? `Uploaded and confirmed in ${countOf(batchIds.length, 'batch', 'batches')}`
      : `Uploaded and confirmed in ${batchId}`;
  const title = files === 1 ? '1 file is safe' : `All ${countOf(files, 'file')} are safe`;
  const opens = batchId === undefined || more.length > 0 ? 'uploads' : `batches/${batchId}`;
  return { title, body, action: 'Show', opens: view(opens, connectionIds) };
}

function results({
  name,
  to,
  files,
  missing,
  connectionIds,
}: Extract<EngineEvent, { kind: 'fetched' }>): NotificationText {
  const opens = { kind: 'folder', path: to } as const;
  const here = `${countOf(files, 'file')} of ${name} in ${to}`;
  if (missing === 0) {
    return { title: 'Results downloaded', body: here, action: 'Show in folder', opens };
  }
  const body = `${countOf(missing, 'file')} couldn’t be downloaded; ${here}`;
  return {
    title: 'Some results are missing',
    body,
    action: 'Show problems',
    opens: view('problems', connectionIds),
  };
}

function jobEnded({
  jobId,
  name,
  succeeded,
  message,
  connectionIds,
}: Extract<EngineEvent, { kind: 'job' }>): NotificationText {
  return {
    title: succeeded ? `${name} is done` : `${name} failed`,
    body: message ?? (succeeded ? 'The job has finished.' : 'Open the job to see why.'),
    action: 'Show job',
    opens: view(`jobs/${jobId}`, connectionIds),
  };
}

function textOf(event: EngineEvent): NotificationText {
  switch (event.kind) {
    case 'confirmed':
      return uploaded(event);
    case 'job':
      return jobEnded(event);
    case 'fetched':
      return results(event);
    case 'refused':
      return {
        title: 'The API key was refused',
        body: `Uploads to ${event.workspace} wait until you update the key. Your files are safe.`,
        action: 'Update key',
        opens: view('settings/connections', []),
      };
    case 'attention':
      return {
        title: `${countOf(event.count, 'file')} couldn’t be uploaded`,
        body: 'Your files are unchanged. See why, and what to do.',
        action: 'Show problems',
        opens: view('problems', event.connectionIds),
      };
  }
}

/** The setting that each kind of event obeys. */
const SETTING_OF = {
  confirmed: 'confirmed',
  job: 'jobs',
  fetched: 'jobs',
  refused: 'problems',
  attention: 'problems',
} as const;

/** The notification for an event; null when the user does not want this kind. Pure. */
export function toNotification(
  event: EngineEvent,
  wanted: WindowSettings['notifications'],
): NotificationText | null {
  return wanted[SETTING_OF[event.kind]] ? textOf(event) : null;
}

/** Keeps shown notifications from being garbage-collected until they are closed. */
const shown = new Set<Notification>();

/** Shows a notification; a click opens what it is about. */
export function notify(
  { title, body, action, opens }: NotificationText,
  open: (opens: NotificationText['opens']) => void,
): void {
  if (!Notification.isSupported()) return;
  const actions = process.platform === 'darwin' ? [{ type: 'button' as const, text: action }] : [];
  const notification = new Notification({ title, body, actions });
  shown.add(notification);
  const act = (): void => {
    shown.delete(notification);
    open(opens);
  };
  notification.on('click', act);
  notification.on('action', act);
  notification.on('close', () => shown.delete(notification));
  notification.show();
}
