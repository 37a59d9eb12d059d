/** Quitting: asks while files are being sent, stops the engine, then lets the program end. */
import { app, dialog } from 'electron';
import { drop } from '../../engine/core/errors.ts';
import type { AppContext } from '../appContext.ts';

/** True when the user agreed, or when no transfer would be interrupted. */
async function mayQuit(context: AppContext): Promise<boolean> {
  const { host, window } = context;
  if (!host.busy() || host.paused()) return true;
  const question = {
    type: 'question' as const,
    message: 'Files are being sent',
    detail: 'Nothing is lost: the next start continues where this one stops.',
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

/**
 * Handles quitting. `stop` saves everything; `silent` is true when no dialog may be shown. What it returns is true once the program
 * will certainly end.
 */
export function handleQuit(
  context: AppContext,
  stop: () => Promise<void>,
  silent: () => boolean,
): () => boolean {
  let state: 'running' | 'asking' | 'stopping' | 'stopped' = 'running';
  const end = async (): Promise<void> => {
    // Another listener notes the signal, and it may run after this one.
    await Promise.resolve();
    if (!silent() && !(await mayQuit(context))) {
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
  return () => state === 'stopping' || state === 'stopped';
}
