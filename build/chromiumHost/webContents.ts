/** `webContents`: what a window shows, and the messages to and from it. */
import { readFileSync } from 'node:fs';
import { newPage, type Page } from './browser.ts';
import { hostEvent } from './hostEvent.ts';
import { receiveFromPage } from './fromPage.ts';
import { HostEmitter, notOnHostError } from './notOnHost.ts';
import { openPageLink, type PageLink } from './pageLink.ts';
import { outsideOrigin, toInside, toOutside } from './schemes.ts';
import { records } from './records.ts';
import { applyPermissions } from './session.ts';
import { colorScheme } from './nativeTheme.ts';
import { reportTrouble } from './trouble.ts';
import { encodeValue } from './worlds/codec.ts';

/** The web preferences of a window, as far as the host uses them. */
export interface WebPreferences {
  readonly preload?: string;
  readonly sandbox?: boolean;
  readonly contextIsolation?: boolean;
  readonly nodeIntegration?: boolean;
  readonly webSecurity?: boolean;
}

/** A frame as IPC handlers see it. */
export interface HostFrame {
  readonly url: string;
  readonly origin: string;
  readonly parent: null;
}

/** The application's answer to a page that wants a new window. */
export type OpenHandler = (details: Readonly<Record<string, unknown>>) => { action: string };

/** The contents of one window. Started by `load`, ended by `closePage`. */
export class WebContents extends HostEmitter {
  zoomFactor = 1;
  openHandler: OpenHandler = () => ({ action: 'allow' });
  #url = '';
  #expected = '';
  #destroyed = false;
  #link: Promise<PageLink> | null = null;
  #page: Page | null = null;
  readonly #preferences: WebPreferences;
  readonly #onLost: () => void;

  constructor(preferences: WebPreferences, onLost: () => void) {
    super();
    refuseInsecure(preferences);
    this.#preferences = preferences;
    this.#onLost = onLost;
  }

  /** The link to the page; opens a page when there is none, and fails once the window has closed. */
  link(): Promise<PageLink> {
    if (this.#destroyed) return Promise.reject(new TypeError('Object has been destroyed'));
    this.#link ??= this.#open();
    return this.#link;
  }

  async #open(): Promise<PageLink> {
    const page = await newPage((id) => this.#closed(id));
    if (this.#destroyed) {
      await page.close();
      throw new Error('The window was closed while it opened.');
    }
    this.#page = page;
    this.#follow(page);
    const link = await openPageLink({
      session: page.session,
      preload: readPreload(this.#preferences.preload),
      process: PRELOAD_PROCESS,
      onMessage: (message) => receiveFromPage(this, message),
    });
    await link.setColorScheme(colorScheme());
    return link;
  }

  #follow({ session }: Page): void {
    session.on('Page.frameNavigated', ({ frame }) => {
      if (frame.parentId !== undefined || frame.url === 'about:blank') return;
      this.#url = toOutside(frame.url + (frame.urlFragment ?? ''));
    });
    session.on('Page.navigatedWithinDocument', ({ url }) => void (this.#url = toOutside(url)));
    session.on('Page.loadEventFired', () => {
      if (this.#url !== '' && !this.#destroyed) this.emit('did-finish-load');
    });
    session.on('Runtime.consoleAPICalled', ({ type, args }) =>
      this.#said(
        type,
        args.map(({ value, description }) => description ?? String(value)).join(' '),
      ),
    );
    session.on('Log.entryAdded', ({ entry }) => this.#said(entry.level, entry.text));
    session.on('Runtime.exceptionThrown', ({ exceptionDetails: { exception, text } }) =>
      reportTrouble(`The page failed: ${exception?.description ?? text}`),
    );
    session.on('Inspector.targetCrashed', () => this.#crashed());
  }

  #said(level: string, text: string): void {
    if (level === 'error') reportTrouble(`The page said: ${text}`);
  }

  #crashed(): void {
    // A crashed page cannot be used again: the next load opens a new one.
    const page = this.#page;
    this.#page = null;
    this.#link = null;
    void page?.close().catch(() => undefined);
    this.emit('render-process-gone', hostEvent({}), { reason: 'crashed', exitCode: 5 });
  }

  #closed(id: string): void {
    if (!this.owns(id)) return;
    this.#page = null;
    this.#link = null;
    this.#onLost();
  }

  owns(pageId: string): boolean {
    return this.#page?.id === pageId;
  }

  /** Asks will-navigate about a navigation that the page started; `url` is Chromium's form. */
  allowsNavigation(url: string): boolean {
    const outside = toOutside(url);
    const bare = (text: string): string => text.replace(/#.*$/, '');
    if (bare(outside) === bare(this.#expected) || bare(outside) === bare(this.#url)) {
      this.#expected = '';
      return true;
    }
    const frame = this.mainFrame;
    const details = { url: outside, isSameDocument: false, isMainFrame: true, frame };
    const event = hostEvent(details);
    this.emit('will-navigate', event, outside);
    return !event.defaultPrevented;
  }

  loadURL = async (url: string): Promise<void> => {
    const link = await this.link();
    this.#expected = new URL(url).href;
    this.emit('did-start-loading');
    await applyPermissions(this, toInside(url));
    try {
      await link.navigate(toInside(url));
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      throw new Error(`ERR_FAILED (-2) loading '${url}': ${text}`, { cause: error });
    }
  };
  reload = (): void => void this.loadURL(this.#url).catch(() => undefined);

  get mainFrame(): HostFrame {
    const url = this.#url || 'about:blank';
    return { url, origin: originOf(url), parent: null };
  }

  send = (channel: string, ...args: unknown[]): void => {
    const message = { kind: 'event', channel, args: encodeValue(args) };
    if (this.#destroyed) throw new TypeError('Object has been destroyed');
    void this.#link?.then((link) => link.send(message)).catch(() => undefined);
  };
  setWindowOpenHandler = (handler: OpenHandler): void => void (this.openHandler = handler);
  getURL = (): string => this.#url;
  isCrashed = (): boolean => this.#url !== '' && this.#page === null;
  getZoomFactor = (): number => this.zoomFactor;
  setZoomFactor = (factor: number): void => void (this.zoomFactor = factor);
  startDrag = ({ file, files }: { readonly file: string; readonly files?: string[] }): void => {
    for (const target of files ?? [file]) records.opened.push({ how: 'startDrag', target });
  };
  focus = (): void =>
    void this.#link?.then(async (link) => link.bringToFront()).catch(() => undefined);

  /** Closes the page permanently. */
  async closePage(): Promise<void> {
    const page = this.#page;
    const pending = this.#link;
    this.#page = null;
    this.#link = null;
    this.#destroyed = true;
    await (page === null ? pending : page.close())?.catch(() => undefined);
  }
}

function originOf(url: string): string {
  return url === 'about:blank' ? 'null' : outsideOrigin(url);
}

function refuseInsecure(preferences: WebPreferences): void {
  const { sandbox, contextIsolation, nodeIntegration, webSecurity } = preferences;
  if (sandbox === false || contextIsolation === false || webSecurity === false || nodeIntegration) {
    throw notOnHostError('A window without sandbox, contextIsolation and webSecurity');
  }
}

function readPreload(path: string | undefined): { path: string; source: string } | null {
  return path === undefined ? null : { path, source: readFileSync(path, 'utf8') };
}

/** The small part of `process` that a sandboxed preload sees. */
const PRELOAD_PROCESS = {
  platform: process.platform,
  versions: process.versions,
  env: {},
  type: 'renderer',
  sandboxed: true,
  contextIsolated: true,
};
