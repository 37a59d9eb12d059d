/** The only entry for messages from the window. It checks sender, size and shape before a handler runs. */
import { type IpcMainInvokeEvent, ipcMain } from 'electron';
import type { z } from 'zod';
import { type OutputOf, REQUESTS, type RequestName } from '../../../preload/contract/requests.ts';
import type { Result } from '../../../preload/contract/errors.ts';
import { mistakeOf } from '../../../preload/contract/watchRule.ts';
import { errorOf, fail, usage } from '../../engine/core/errors.ts';
import type { Log } from '../appContext.ts';

export type Handlers = {
  readonly [Name in RequestName]: (
    input: z.output<(typeof REQUESTS)[Name]['input']>,
  ) => Promise<Result<OutputOf<Name>>>;
};

/** The largest accepted message, in characters of JSON. Our choice. */
export const MAX_MESSAGE_CHARACTERS = 256 * 1024;

/** The facts that are checked about the frame that sent a message. */
export interface Sender {
  readonly isOurWindow: boolean;
  readonly isMainFrame: boolean;
  readonly url: string;
}

/** True for the main frame of our window while it shows our page. Pure. */
export function isTrusted(sender: Sender): boolean {
  if (!sender.isOurWindow || !sender.isMainFrame || !URL.canParse(sender.url)) return false;
  const { protocol, host } = new URL(sender.url);
  return protocol === 'app:' && host === 'sluice';
}

/** True for a JSON value within the size limit. Pure. */
export function fitsSizeLimit(input: unknown): boolean {
  try {
    const text: unknown = JSON.stringify(input);
    return typeof text === 'string' && text.length <= MAX_MESSAGE_CHARACTERS;
  } catch {
    return false;
  }
}

function isRequestName(name: unknown): name is RequestName {
  return typeof name === 'string' && Object.hasOwn(REQUESTS, name);
}

/** Checks a message and runs its handler. Never throws. */
export async function answerRequest(
  handlers: Handlers,
  name: unknown,
  input: unknown,
  log: Log,
): Promise<Result<unknown>> {
  if (!isRequestName(name)) return usage('no such request');
  if (!fitsSizeLimit(input)) return usage('the message is too large');
  const parsed = REQUESTS[name].input.safeParse(input);
  if (!parsed.success) return usage(mistakeOf(parsed.error));
  try {
    const work: unknown = Reflect.apply(handlers[name], undefined, [parsed.data]);
    const answer: unknown = await work;
    return isResult(answer) ? answer : fail('bug.unexpected');
  } catch (thrown) {
    const error = errorOf(thrown);
    log('request.threw', { request: name, code: error.code, said: String(error.context['said']) });
    return { ok: false, error };
  }
}

function isResult(answer: unknown): answer is Result<unknown> {
  return typeof answer === 'object' && answer !== null && 'ok' in answer;
}

export interface IpcOptions {
  readonly handlers: Handlers;
  readonly isOurWindow: (event: IpcMainInvokeEvent) => boolean;
  /** Paths that the user dropped on the window. */
  readonly dropped: (paths: readonly string[]) => void;
  /** Called after each request, because the state may have changed. */
  readonly answered: () => void;
  readonly log: Log;
}

function senderOf(event: IpcMainInvokeEvent, options: IpcOptions): Sender {
  const frame = event.senderFrame;
  return {
    isOurWindow: options.isOurWindow(event),
    isMainFrame: frame !== null && frame.parent === null,
    url: frame?.url ?? '',
  };
}

export function serveIpc(options: IpcOptions): void {
  const { handlers, log } = options;
  ipcMain.handle('sluice:request', async (event, name: unknown, input: unknown) => {
    if (!isTrusted(senderOf(event, options))) {
      log('request.refused', { url: event.senderFrame?.url ?? '' });
      return usage('this page may not send requests');
    }
    const answer = await answerRequest(handlers, name, input, log);
    options.answered();
    return answer;
  });
  ipcMain.handle('sluice:dropped', (event, paths: unknown) => {
    if (!isTrusted(senderOf(event, options)) || !Array.isArray(paths) || !fitsSizeLimit(paths))
      return;
    options.dropped(paths.filter((path): path is string => typeof path === 'string'));
  });
}
