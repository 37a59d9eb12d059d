/** What arrives from a page: IPC, new windows, keys, focus. */
import { hostEvent } from './hostEvent.ts';
import { pressKey } from './accelerators.ts';
import { handleInvoke, handleSend } from './ipcMain.ts';
import { notOnHostError } from './notOnHost.ts';
import type { FromPage } from './pageLink.ts';
import { records } from './records.ts';
import { outsideOrigin, toOutside } from './schemes.ts';
import { reportTrouble } from './trouble.ts';
import type { HostFrame, WebContents } from './webContents.ts';
import { allWindows } from './windows.ts';

/** Handles one message from a preload world. */
export function receiveFromPage(contents: WebContents, message: FromPage): void {
  switch (message['kind']) {
    case 'invoke':
      return void answer(contents, message, () =>
        handleInvoke(contents, frameOf(contents, message), ...call(message)),
      );
    case 'send':
      return handleSend(contents, frameOf(contents, message), ...call(message));
    case 'file':
      return void answer(contents, message, async () =>
        (await contents.link()).filePath(Number(message['file'])),
      );
    case 'open':
      return askForWindow(contents, message);
    case 'key':
      return pressKey(message);
    case 'violation':
      return reportTrouble(
        `Content Security Policy: ${String(message['directive'])} refused ${String(message['blocked'])}`,
      );
    case 'preload-error':
      return preloadFailed(contents, message);
    case 'focus':
    case 'blur':
    case 'bounds':
      return windowOf(contents)?.hear(message);
  }
}

function windowOf(contents: WebContents): ReturnType<typeof allWindows>[number] | undefined {
  return allWindows().find((entry) => entry.webContents === contents);
}

function call(message: FromPage): readonly [string, string] {
  return [String(message['channel']), String(message['args'])];
}

/** The frame at the time of its message: the preload world reports its address, and no page can tamper with that. */
function frameOf(contents: WebContents, message: FromPage): HostFrame {
  const url = toOutside(String(message['url']));
  return { ...contents.mainFrame, url, origin: outsideOrigin(url) };
}

async function answer(
  contents: WebContents,
  message: FromPage,
  work: () => Promise<unknown>,
): Promise<void> {
  const { id } = message;
  const link = await contents.link().catch(() => null);
  // The page is gone, and so is the requester.
  if (link === null) return;
  try {
    link.send({ kind: 'result', id, ok: true, value: await work() });
  } catch (error) {
    const cause = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    const text = `Error invoking remote method '${String(message['channel'])}': ${cause}`;
    link.send({ kind: 'result', id, ok: false, error: text });
  }
}

function askForWindow(contents: WebContents, message: FromPage): void {
  const { action } = contents.openHandler({
    url: toOutside(String(message['href'])),
    frameName: String(message['target']),
    features: String(message['features']),
    disposition: 'foreground-tab',
    referrer: { url: contents.getURL(), policy: 'strict-origin-when-cross-origin' },
  });
  if (action !== 'deny') throw notOnHostError('A second window opened by a page');
}

function preloadFailed(contents: WebContents, message: FromPage): void {
  const path = String(message['path']);
  const text = String(message['text']);
  records.preloadErrors.push(text);
  console.error(`The preload ${path} failed: ${text}`);
  contents.emit('preload-error', hostEvent({}), path, new Error(text));
}
