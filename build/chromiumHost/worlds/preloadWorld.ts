/** Runs in the preload's isolated world: the sandboxed `require('electron')` and the link to the host. */
import { startBridge } from './bridge.ts';
import { decodeValue, encodeValue } from './codec.ts';
import { watchPage } from './watchPage.ts';

/** What the host passes to a preload world when it starts. */
export interface PreloadSetup {
  readonly token: string;
  readonly binding: string;
  readonly receiver: string;
  readonly process: Readonly<Record<string, unknown>>;
  readonly path: string | null;
}

type Listener = (...args: unknown[]) => void;

/**
 * Prepares the preload's world, then runs `preload`. Sent into the page as source text, so it uses nothing but the functions sent along.
 */
export function startPreloadWorld(
  setup: PreloadSetup,
  preload: ((...scope: unknown[]) => void) | null,
): void {
  if (window !== window.top || location.href === 'about:blank') return;
  const post: unknown = Reflect.get(globalThis, setup.binding);
  const toHost = (message: Readonly<Record<string, unknown>>): void => {
    if (typeof post === 'function') post(JSON.stringify({ ...message, url: location.href }));
  };
  const waiting = new Map<number, { done(value: unknown): void; failed(error: Error): void }>();
  const listeners = new Map<string, Listener[]>();
  const files = new Map<number, unknown>();
  let last = 0;
  const ask = (message: Readonly<Record<string, unknown>>): Promise<unknown> =>
    new Promise((done, failed) => {
      const id = ++last;
      waiting.set(id, { done, failed });
      toHost({ ...message, id });
    });

  const end = startBridge(setup.token, '>preload', '>page', (message) => {
    if (Reflect.get(message, 'op') === 'open') toHost({ ...message, kind: 'open' });
  });
  const contextBridge = Object.freeze({
    exposeInMainWorld: (key: string, api: unknown) =>
      end.send({ op: 'expose', key, value: end.wrap(api) }),
  });
  const listenersOf = (channel: string): readonly Listener[] => listeners.get(channel) ?? [];
  const ipcRenderer = Object.freeze({
    invoke: async (channel: string, ...args: unknown[]) =>
      decodeValue(String(await ask({ kind: 'invoke', channel, args: encodeValue(args) }))),
    send: (channel: string, ...args: unknown[]) =>
      toHost({ kind: 'send', channel, args: encodeValue(args) }),
    on: (channel: string, fn: Listener) =>
      void listeners.set(channel, [...listenersOf(channel), fn]),
    removeListener: (channel: string, fn: Listener) => {
      const left = listenersOf(channel).filter((one) => one !== fn);
      listeners.set(channel, left);
    },
  });
  // Chromium reveals the path of a file only to a debugger, so unlike on Electron the answer is a promise: await it.
  const webUtils = Object.freeze({
    getPathForFile: async (file: unknown) => {
      if (!(file instanceof File)) throw new TypeError('getPathForFile needs a File.');
      const key = ++last;
      files.set(key, file);
      const path = await ask({ kind: 'file', file: key });
      files.delete(key);
      return path;
    },
  });
  const require = (name: string): unknown => {
    if (name === 'electron' || name === 'electron/renderer') {
      return { contextBridge, ipcRenderer, webUtils };
    }
    throw new Error(`module not found: ${name}`);
  };
  const deliver = (message: Readonly<Record<string, unknown>>): void => {
    if (message['kind'] === 'event') {
      const channel = String(message['channel']);
      const args = decodeValue(String(message['args']));
      for (const fn of listenersOf(channel))
        fn({ sender: ipcRenderer, ports: [] }, ...(Array.isArray(args) ? args : []));
      return;
    }
    const promise = waiting.get(Number(message['id']));
    waiting.delete(Number(message['id']));
    if (message['ok'] === true) promise?.done(message['value']);
    else promise?.failed(new Error(String(message['error'])));
  };
  Object.defineProperty(globalThis, setup.receiver, {
    value: (text: string) => deliver(JSON.parse(text)),
  });
  Object.defineProperty(globalThis, `${setup.receiver}File`, {
    value: (key: number) => files.get(key),
  });
  toHost({ kind: 'hello' });
  watchPage(toHost);
  if (preload === null) return;
  const module = { exports: {} };
  try {
    preload(require, module, module.exports, Object.freeze({ ...setup.process }));
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    toHost({ kind: 'preload-error', text, path: setup.path });
  }
}
