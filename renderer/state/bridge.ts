/** The only module that touches what the preload exposes. */
import type {
  Bridge,
  InputOf,
  OutputOf,
  PushName,
  Pushes,
  RequestName,
} from '../../preload/contract/requests.ts';
import type { Result, SluiceError } from '../../preload/contract/errors.ts';
import { wordsForAction } from '../text/errorWords.ts';
import { addToast } from './toasts.svelte.ts';

declare global {
  interface Window {
    readonly sluice: Bridge;
  }
}

/** Sends a request to main. An exception becomes an ordinary error, so that callers have only one way to fail. */
export async function request<Name extends RequestName>(
  name: Name,
  input: InputOf<Name>,
): Promise<Result<OutputOf<Name>>> {
  try {
    return await window.sluice.request(name, input);
  } catch {
    return { ok: false, error: { code: 'bug.unexpected', next: 'stop', context: {} } };
  }
}

export function showError(error: SluiceError): void {
  const { message, hint } = wordsForAction(error);
  addToast({ tone: 'error', text: message, hint });
}

/** Asks main to do something; shows a message when it fails. True when it was done. */
export async function perform<Name extends RequestName>(
  name: Name,
  input: InputOf<Name>,
): Promise<boolean> {
  const answer = await request(name, input);
  if (!answer.ok) showError(answer.error);
  return answer.ok;
}

/** Listens to what main pushes; returns a function that removes the listener. */
export function onPush<Name extends PushName>(
  name: Name,
  listener: (value: Pushes[Name]) => void,
): () => void {
  return window.sluice.on(name, listener);
}

export async function pathsOf(files: readonly File[]): Promise<readonly string[]> {
  try {
    return await window.sluice.pathsOf(files);
  } catch {
    return [];
  }
}
