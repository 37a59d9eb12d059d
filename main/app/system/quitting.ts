/** Quitting: asks while files are being sent, stops the engine, then lets the program end. */
import { app, dialog } from 'electron';
import { drop } from '../../engine/core/errors.ts';
import { hasHeldCalls } from '../../engine/core/heldCalls.ts';
import { inTime } from '../../engine/core/inTime.ts';
import type { AppContext } from '../appContext.ts';

/** How long stopping may take, in ms. Our choice, as on the command line. */
const STOP_PATIENCE_MS = 30_000;
/** How long unfinished calls may take after that: enough to read a picture, but not to wait for a drive that does not answer. Our choice. */
const CALL_PATIENCE_MS = 2_000;

/** Ends the program at once, without waiting for calls that are still running. Nothing that was sent or stored is lost. */
function kill(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** Stops, and then lets the program end. If a drive that does not answer blocks either of these, the process is killed. */
async function stopAndQuit(context: AppContext, stop: () => Promise<void>): Promise<void> {
  const { clock } = context.host.ports;
  try {
    if ((await inTime(clock, STOP_PATIENCE_MS, stop())) === null) kill();
  } finally {
    if (hasHeldCalls()) await clock.sleep(CALL_PATIENCE_MS, new AbortController().signal);
    if (hasHeldCalls()) kill();
    else app.quit();
  }
}

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
 * Handles quitting. `stop` saves everything; `silent` returns true when no dialog may be shown. The returned function returns true once
 * the program will certainly end.
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
    const stopped = async (): Promise<void> => {
      await stop().finally(() => (state = 'stopped'));
    };
    await stopAndQuit(context, stopped);
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
