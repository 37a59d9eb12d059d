/** The debugger connection to one page: installs the two worlds, carries messages, and finds the paths of files. */
import { randomBytes } from 'node:crypto';
import type { Session } from './chromium.ts';
import { pageWorldScript, preloadWorldScript } from './worlds/scripts.ts';

/** A message from the preload world. */
export type FromPage = Readonly<Record<string, unknown>>;

/** What is needed to open a link. */
export interface LinkSetup {
  readonly session: Session;
  /** The preload's source text and its path; null without a preload. */
  readonly preload: { readonly path: string; readonly source: string } | null;
  readonly process: Readonly<Record<string, unknown>>;
  readonly onMessage: (message: FromPage) => void;
}

const WORLD = 'Electron Isolated Context';

/** Opens the link before the first document loads. */
export async function openPageLink(setup: LinkSetup) {
  const { session } = setup;
  // Unguessable, because the two worlds communicate through the document, which the page shares.
  const token = randomBytes(12).toString('hex');
  const names = { binding: `send${token}`, receiver: `receive${token}` };
  const world = followWorld(session);
  session.on('Runtime.bindingCalled', ({ name, payload }) => {
    const message: unknown = name === names.binding ? JSON.parse(payload) : null;
    if (isMessage(message)) setup.onMessage(message);
  });
  await session.send('Page.enable');
  await session.send('Runtime.enable');
  await session.send('Log.enable');
  // Several windows, and those of tests that run at the same time, are in the foreground at once.
  await session.send('Emulation.setFocusEmulationEnabled', { enabled: true });
  await session.send('Runtime.addBinding', { name: names.binding, executionContextName: WORLD });
  // The order matters: the page's end of the bridge must listen before the preload sends anything.
  const add = (source: string, worldName?: string): Promise<unknown> =>
    session.send('Page.addScriptToEvaluateOnNewDocument', {
      source,
      ...(worldName === undefined ? {} : { worldName }),
    });
  await add(pageWorldScript(token));
  const preloadSetup = {
    token,
    ...names,
    process: setup.process,
    path: setup.preload?.path ?? null,
  };
  await add(preloadWorldScript(preloadSetup, setup.preload?.source ?? null), WORLD);
  return {
    /** Opens an address, and resolves when its document has loaded; fails with Chromium's reason. */
    navigate: (url: string) => navigate(session, url),
    setColorScheme: async (value: 'light' | 'dark') => {
      const features = [{ name: 'prefers-color-scheme', value }];
      await session.send('Emulation.setEmulatedMedia', { features });
    },
    bringToFront: async () => void (await session.send('Page.bringToFront')),
    /** Sends a message to the preload world; it is lost when no document is loaded, as on Electron. */
    send: (message: Readonly<Record<string, unknown>>) =>
      void deliver(session, world(), names.receiver, message),
    /** The path of the file that the preload world keeps under this number; '' for one without a path. */
    filePath: (key: number) => filePath(session, world(), `${names.receiver}File`, key),
    /** Makes the renderer crash. */
    crash: async () => void (await session.send('Page.crash').catch(() => undefined)),
    setBounds: async (bounds: Readonly<Record<string, number | string>>) => {
      const { windowId } = await session.send('Browser.getWindowForTarget');
      await session.send('Browser.setWindowBounds', { windowId, bounds });
    },
  };
}

/** An open link to a page. */
export type PageLink = Awaited<ReturnType<typeof openPageLink>>;

async function navigate(session: Session, url: string): Promise<void> {
  const loaded = new Promise((resolve) => session.on('Page.loadEventFired', resolve));
  const { errorText, loaderId } = await session.send('Page.navigate', { url });
  if (errorText !== undefined) throw new Error(errorText);
  // Without a loader it was a place in the same document. If the page goes away before it has loaded, waiting for it ends.
  if (loaderId !== undefined) await loaded;
}

function isMessage(value: unknown): value is FromPage {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Tracks the number of the preload world in the current document; the world announces itself when it starts. */
function followWorld(session: Session): () => number | null {
  let current: number | null = null;
  session.on('Runtime.bindingCalled', ({ payload, executionContextId }) => {
    if (payload.startsWith('{"kind":"hello"')) current = executionContextId;
  });
  session.on('Runtime.executionContextDestroyed', ({ executionContextId }) => {
    if (executionContextId === current) current = null;
  });
  session.on('Runtime.executionContextsCleared', () => {
    current = null;
  });
  return () => current;
}

async function deliver(
  session: Session,
  world: number | null,
  receiver: string,
  message: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (world === null) return;
  const call = {
    executionContextId: world,
    functionDeclaration: `function (text) { globalThis[${JSON.stringify(receiver)}]?.(text) }`,
    arguments: [{ value: JSON.stringify(message) }],
  };
  const answer = await session.send('Runtime.callFunctionOn', call).catch(() => null);
  const failed = answer?.exceptionDetails?.exception?.description;
  if (failed !== undefined) console.error('A listener in the preload failed:', failed);
}

async function filePath(
  session: Session,
  world: number | null,
  receiver: string,
  key: number,
): Promise<string> {
  if (world === null) return '';
  const { result } = await session.send('Runtime.callFunctionOn', {
    executionContextId: world,
    functionDeclaration: `function (key) { return globalThis[${JSON.stringify(receiver)}](key) }`,
    arguments: [{ value: key }],
  });
  if (result.objectId === undefined) return '';
  // A File that a page created from bytes has no path; Electron then returns ''.
  const info = await session
    .send('DOM.getFileInfo', { objectId: result.objectId })
    .catch(() => ({ path: '' }));
  await session.send('Runtime.releaseObject', { objectId: result.objectId });
  return info.path;
}
