/** `ipcMain`: what the application does when a page sends a request. */
import type { HostFrame, WebContents } from './webContents.ts';
import { HostEmitter } from './notOnHost.ts';
import { decodeValue, encodeValue } from './worlds/codec.ts';

/** What an IPC handler learns about the sender. */
interface IpcEvent {
  readonly type: 'frame';
  readonly sender: WebContents;
  readonly senderFrame: HostFrame;
}

type Handler = (event: IpcEvent, ...args: unknown[]) => unknown;

const handlers = new Map<string, Handler>();

class IpcMain extends HostEmitter {
  handle = (channel: string, handler: Handler): void => {
    if (handlers.has(channel)) {
      throw new Error(`Attempted to register a second handler for '${channel}'`);
    }
    handlers.set(channel, handler);
  };
}

/** The one `ipcMain`. */
export const ipcMain = new IpcMain();

function eventOf(sender: WebContents, senderFrame: HostFrame): IpcEvent {
  return { type: 'frame', sender, senderFrame };
}

function argsOf(text: string): readonly unknown[] {
  const args = decodeValue(text);
  return Array.isArray(args) ? args : [];
}

/** Runs the handler of a channel; returns the answer as text for the page. */
export async function handleInvoke(
  sender: WebContents,
  frame: HostFrame,
  channel: string,
  args: string,
): Promise<string> {
  const handler = handlers.get(channel);
  if (handler === undefined) throw new Error(`No handler registered for '${channel}'`);
  return encodeValue(await handler(eventOf(sender, frame), ...argsOf(args)));
}

/** Passes a message to the listeners of a channel. */
export function handleSend(
  sender: WebContents,
  frame: HostFrame,
  channel: string,
  args: string,
): void {
  ipcMain.emit(channel, eventOf(sender, frame), ...argsOf(args));
}
