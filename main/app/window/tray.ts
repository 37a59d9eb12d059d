/** The tray: how things are, pause and resume, open, quit. Without a place for it there is none, and closing quits. */
import { Menu, Tray } from 'electron';
import type { AppSnapshot } from '../../../preload/contract/snapshot.ts';
import { picture, type TrayState } from './pictures.ts';

export interface AppTray {
  /** True while it stands. */
  readonly there: boolean;
  show(snapshot: AppSnapshot): void;
  remove(): void;
}

export interface TrayActions {
  open(): void;
  pause(paused: boolean): void;
  quit(): void;
}

/** A key is missing, the engine has stopped, or something has waited for over an hour. */
function refused({ line, connections, waits }: AppSnapshot): boolean {
  const keyless = connections.some(({ state }) => state === 'refused' || state === 'locked');
  return keyless || line.hindrance?.next === 'stop' || waits.some(({ attention }) => attention);
}

/** What the tray shows: it calls for a person until the problems were looked at. Pure. */
export function trayStateOf(snapshot: AppSnapshot): TrayState {
  const { line, problems } = snapshot;
  if (refused(snapshot) || problems.unread > 0) return 'attention';
  if (line.paused) return 'paused';
  return line.counts.queued + line.counts.sending > 0 ? 'sending' : 'idle';
}

function filesThat(count: number, verb: 'need' | 'wait'): string {
  return count === 1 ? `1 file ${verb}s` : `${count} files ${verb}`;
}

/** What is left to do by itself; null when nothing is. */
function goingOn({ paused, counts }: AppSnapshot['line']): string | null {
  const left = counts.queued + counts.sending;
  if (paused) return left === 0 ? 'Paused' : `Paused, ${filesThat(left, 'wait')}`;
  if (left === 0) return null;
  return left === 1 ? '1 file on its way' : `${left} files on their way`;
}

/** ", 2 new" behind a number: what was not looked at yet. */
function newWords(unread: number): string {
  return unread === 0 ? '' : `, ${unread} new`;
}

/** The tray's sentence: what goes on, and how many files need a person, looked at or not. Pure. */
export function trayText(snapshot: AppSnapshot): string {
  const { count, unread } = snapshot.problems;
  if (refused(snapshot)) return 'Sluice needs you';
  const needed = count === 0 ? null : `${filesThat(count, 'need')} you${newWords(unread)}`;
  const said = [goingOn(snapshot.line), needed].filter((part) => part !== null);
  return said.length === 0 ? 'Everything is uploaded' : said.join('; ');
}

function menuOf(snapshot: AppSnapshot, actions: TrayActions): Menu {
  const { paused } = snapshot.line;
  return Menu.buildFromTemplate([
    { label: trayText(snapshot), enabled: false },
    { type: 'separator' },
    { label: 'Open Sluice', click: () => actions.open() },
    { label: paused ? 'Resume' : 'Pause', click: () => actions.pause(!paused) },
    { type: 'separator' },
    { label: 'Quit', click: () => actions.quit() },
  ]);
}

/** Puts up the tray; one that is not `there` where the system has no place for it. */
export function createTray(actions: TrayActions): AppTray {
  let tray: Tray;
  try {
    tray = new Tray(picture('tray-idle'));
  } catch {
    return { there: false, show: () => undefined, remove: () => undefined };
  }
  tray.on('click', () => actions.open());
  let shown = '';
  return {
    there: true,
    show: (snapshot) => {
      const now = `${trayStateOf(snapshot)} ${trayText(snapshot)} ${String(snapshot.line.paused)}`;
      if (now === shown) return;
      shown = now;
      tray.setToolTip(`Sluice: ${trayText(snapshot)}`);
      tray.setImage(picture(`tray-${trayStateOf(snapshot)}`));
      // On Linux a changed menu is shown only when it is set again.
      tray.setContextMenu(menuOf(snapshot, actions));
    },
    remove: () => tray.destroy(),
  };
}
