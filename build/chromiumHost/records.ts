/** What the application tried to do outside itself: recorded here, never carried out. */
import type { Notification } from './notification.ts';
import type { Tray } from './tray.ts';

/** Something the application asked the desktop to open or show. */
export interface Opened {
  readonly how: 'openExternal' | 'openPath' | 'showItemInFolder' | 'startDrag';
  readonly target: string;
}

/** A dialog without an answer. */
export interface Unanswered {
  readonly dialog: string;
  readonly title: string;
}

/** Everything recorded since the start; the control channel reads it. */
export const records = {
  opened: new Array<Opened>(),
  notifications: new Array<Notification>(),
  trays: new Set<Tray>(),
  answers: new Array<unknown>(),
  unanswered: new Array<Unanswered>(),
  preloadErrors: new Array<string>(),
};

/** The prefix of the line that tells a test that the application asked to be restarted; its arguments follow as JSON. */
export const RELAUNCH = 'sluice-relaunch: ';

/** True when a test holds the other end of the control channel. */
export function underTest(): boolean {
  return process.env['SLUICE_HOST_CONTROL'] === '1' && process.send !== undefined;
}
