/** The tray icon: status, pause and resume, open, quit. Where the desktop has no tray, closing the window quits. */
import { app, Menu, Tray } from 'electron';
import { countOf, formatCount } from '../../../preload/contract/figures.ts';
import type { AppSnapshot } from '../../../preload/contract/snapshot.ts';
import { attentionWords } from '../../../preload/contract/problemTotal.ts';
import {
  elsewhereWords,
  foundWords,
  openFiles,
  isCounting,
  toGoWords,
  unseenWords,
} from '../../../preload/contract/toGo.ts';
import { lacksKey } from '../../../preload/contract/waitMessages.ts';
import type { AppContext } from '../appContext.ts';
import { picture, type TrayState } from './pictures.ts';

type TrayContext = Pick<AppContext, 'host' | 'window'>;

/** A key is missing, the engine has stopped, or something has waited for over an hour. */
function needsAttention({ pipeline, connections, waits }: AppSnapshot): boolean {
  const isStopped = pipeline.blockedBy?.next === 'stop';
  return connections.some(lacksKey) || isStopped || waits.some(({ attention }) => attention);
}

/** The tray icon: `attention` until the user has looked at the problems. Pure. */
export function trayStateOf(snapshot: AppSnapshot): TrayState {
  const { pipeline, problems } = snapshot;
  if (needsAttention(snapshot) || problems.unread > 0) return 'attention';
  if (pipeline.paused) return 'paused';
  return openFiles(pipeline.counts) + queuedElsewhere(snapshot) > 0 ? 'sending' : 'idle';
}

/** Files of the workspaces that the window does not show now: their uploads run, too. */
function queuedElsewhere({ connections }: AppSnapshot): number {
  return connections.reduce((sum, { selected, queued }) => sum + (selected ? 0 : queued), 0);
}

/** What is left to upload, or was found and may still change; empty when nothing is. */
function uploadStatus(snapshot: AppSnapshot): readonly string[] {
  const { paused, counts } = snapshot.pipeline;
  const here = openFiles(counts);
  const left = here + queuedElsewhere(snapshot);
  if (paused && left === 0) return ['Paused'];
  if (paused) return [`Paused, ${countOf(left, 'file')} ${left === 1 ? 'waits' : 'wait'}`];
  const found = foundWords(snapshot.watches) ?? (isCounting(snapshot) ? 'Looking for files' : null);
  const next = here === 0 ? (found ?? unseenWords(snapshot.watches)) : toGoWords(snapshot);
  return [next, elsewhereWords(snapshot.connections)].filter((part) => part !== null);
}

/** The tray's text: what is being uploaded, and how much needs the user. Pure. */
export function trayText(snapshot: AppSnapshot): string {
  if (needsAttention(snapshot)) return 'Sluice needs attention';
  const needed = attentionWords(snapshot);
  const { unread } = snapshot.problems;
  const news = unread === 0 ? '' : `, ${formatCount(unread)} new`;
  const parts = [...uploadStatus(snapshot), ...(needed === null ? [] : [needed + news])];
  return parts.length === 0 ? 'Everything is uploaded' : parts.join('; ');
}

function menuOf(snapshot: AppSnapshot, { host, window }: TrayContext): Menu {
  const { paused } = snapshot.pipeline;
  return Menu.buildFromTemplate([
    { label: trayText(snapshot), enabled: false },
    { type: 'separator' },
    { label: 'Open Sluice', click: () => window.show() },
    { label: paused ? 'Resume' : 'Pause', click: () => host.setPaused(!paused) },
    { type: 'separator' },
    { label: 'Quit', click: () => app.quit() },
  ]);
}

/** Creates the tray; `isShown` is false where the desktop has none. */
export function createTray(context: TrayContext) {
  let tray: Tray;
  try {
    tray = new Tray(picture('tray-idle'));
  } catch {
    return { isShown: false, show: () => undefined, remove: () => undefined };
  }
  tray.on('click', () => context.window.show());
  let current = '';
  return {
    isShown: true,
    show: (snapshot: AppSnapshot) => {
      const next = `${trayStateOf(snapshot)} ${trayText(snapshot)} ${String(snapshot.pipeline.paused)}`;
      if (next === current) return;
      current = next;
      tray.setToolTip(`Sluice: ${trayText(snapshot)}`);
      tray.setImage(picture(`tray-${trayStateOf(snapshot)}`));
      // On Linux a changed menu appears only when it is set again.
      tray.setContextMenu(menuOf(snapshot, context));
    },
    remove: () => tray.destroy(),
  };
}

export type AppTray = ReturnType<typeof createTray>;
