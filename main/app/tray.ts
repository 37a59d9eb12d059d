/** The tray: how things are, pause and resume, open, quit. Without a place for it there is none, and closing quits. */
import { Menu, nativeImage, Tray } from 'electron';
import type { AppSnapshot } from '../../preload/views.ts';
import { trayPng, type TrayState } from './trayIcon.ts';

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

/** What the tray shows. Pure. */
export function trayStateOf({ line, problems, connections }: AppSnapshot): TrayState {
  const refused = connections.some(({ state }) => state === 'refused' || state === 'locked');
  if (refused || problems.unread > 0 || line.hindrance?.next === 'stop') return 'attention';
  if (line.paused) return 'paused';
  return line.counts.queued + line.counts.sending > 0 ? 'sending' : 'idle';
}

function filesThat(count: number, verb: 'need' | 'wait'): string {
  return count === 1 ? `1 file ${verb}s` : `${count} files ${verb}`;
}

/** The tray's sentence. Pure. */
export function trayText(snapshot: AppSnapshot): string {
  const { line, problems } = snapshot;
  const left = line.counts.queued + line.counts.sending;
  const state = trayStateOf(snapshot);
  if (state === 'attention') {
    return problems.unread > 0 ? `${filesThat(problems.unread, 'need')} you` : 'Sluice needs you';
  }
  if (state === 'paused') return left === 0 ? 'Paused' : `Paused, ${filesThat(left, 'wait')}`;
  if (left === 0) return 'Everything is uploaded';
  return left === 1 ? '1 file on its way' : `${left} files on their way`;
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
    tray = new Tray(nativeImage.createFromBuffer(trayPng('idle')));
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
      tray.setImage(nativeImage.createFromBuffer(trayPng(trayStateOf(snapshot))));
      // On Linux a changed menu is shown only when it is set again.
      tray.setContextMenu(menuOf(snapshot, actions));
    },
    remove: () => tray.destroy(),
  };
}
