/** Ending well: asks while something is sent, stops the engine, and only then lets the program end. */
import { app, dialog } from 'electron';
import { drop } from '../../engine/core/drop.ts';
import type { AppContext } from '../appContext.ts';

export interface Quitting {
  /** True from the moment on when the program is certain to end. */
  begun(): boolean;
}

/** True when a person agreed, or when nothing is sent that would be broken off. */
async function mayEnd(context: AppContext): Promise<boolean> {
  const { station, window } = context;
  if (!station.busy() || station.paused()) return true;
  const question = {
    type: 'question' as const,
    message: 'Files are being sent',
    detail: 'Nothing is lost: the next start goes on where this one stops.',
    buttons: ['Quit', 'Keep sending'],
    defaultId: 1,
    cancelId: 1,
  };
  const parent = window.current();
  const answer =
    parent === null
      ? await dialog.showMessageBox(question)
      : await dialog.showMessageBox(parent, question);
  return answer.response === 0;
}

/** Takes over the end of the program. `stop` writes everything down; `silent` tells that nobody can be asked. */
export function handleQuit(
  context: AppContext,
  stop: () => Promise<void>,
  silent: () => boolean,
): Quitting {
  let state: 'running' | 'asking' | 'stopping' | 'stopped' = 'running';
  const end = async (): Promise<void> => {
    // The signal that asks for the end is noted by another listener, which may come after this one.
    await Promise.resolve();
    if (!silent() && !(await mayEnd(context))) {
      state = 'running';
      return;
    }
    state = 'stopping';
    try {
      await stop();
    } finally {
      state = 'stopped';
      app.quit();
    }
  };
  app.on('before-quit', (event) => {
    if (state === 'stopped') return;
    event.preventDefault();
    if (state !== 'running') return;
    state = 'asking';
    drop(
      end().catch(() => {
        if (state === 'asking') state = 'running';
      }),
    );
  });
  return { begun: () => state === 'stopping' || state === 'stopped' };
}
