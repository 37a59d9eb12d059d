/** `BrowserWindow`: a Chromium window that acts as an application window. */
import { app } from './app.ts';
import { hostEvent } from './hostEvent.ts';
import { isReady } from './life.ts';
import { HostEmitter } from './notOnHost.ts';
import { options as hostOptions } from './options.ts';
import type { FromPage } from './pageLink.ts';
import { WebContents, type WebPreferences } from './webContents.ts';
import { addWindow, allWindows, removeWindow } from './windows.ts';

/** A place on the screen, in pixels. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The options of a window, as far as the host uses them. */
export interface WindowOptions extends Partial<Rectangle> {
  readonly show?: boolean;
  readonly webPreferences?: WebPreferences;
}

type WindowState = 'normal' | 'maximized' | 'fullscreen';

let lastId = 0;

/** A window. Lives until `closed`. */
export class BrowserWindow extends HostEmitter {
  readonly id = ++lastId;
  readonly webContents: WebContents;
  readonly #closed = Promise.withResolvers<void>();
  /** Resolves when the window has closed. */
  readonly closed = this.#closed.promise;
  #bounds: Rectangle;
  #visible: boolean;
  #focused = false;
  #state: WindowState = 'normal';
  #closing = false;
  #destroyed = false;
  #lost = false;

  constructor(options: WindowOptions = {}) {
    super();
    if (!isReady()) throw new Error('Cannot create BrowserWindow before app is ready');
    const { x = 0, y = 0, width = 800, height = 600 } = options;
    this.#bounds = { x, y, width, height };
    this.#visible = options.show !== false;
    this.#focused = this.#visible;
    this.webContents = new WebContents(options.webPreferences ?? {}, () => this.#pageLost());
    this.webContents.once('did-finish-load', () => this.emit('ready-to-show'));
    addWindow(this);
    app.emit('web-contents-created', hostEvent({}), this.webContents);
    this.#tellChromium({ left: x, top: y, width, height });
  }

  static getAllWindows = (): BrowserWindow[] => allWindows();

  loadURL = (url: string): Promise<void> => this.webContents.loadURL(url);

  show = (): void => {
    this.#visible = true;
    if (this.#lost) {
      // Its Chromium window was closed while the application only hid it: open it again.
      this.#lost = false;
      this.webContents.reload();
    }
    this.focus();
  };
  hide = (): void => {
    this.#visible = false;
    this.#focused = false;
  };
  focus = (): void => {
    if (!this.#visible || this.#destroyed) return;
    for (const other of allWindows()) other.#focused = other === this;
    this.webContents.focus();
  };
  isVisible = (): boolean => this.#visible;
  isFocused = (): boolean => this.#focused;
  isDestroyed = (): boolean => this.#destroyed;
  /** True from a close that was not prevented. */
  isClosing = (): boolean => this.#closing;

  maximize = (): void => this.#become('maximized');
  restore = (): void => this.#become('normal');
  setFullScreen = (on: boolean): void => this.#become(on ? 'fullscreen' : 'normal');
  // Nothing minimises it: a minimised Chromium stops painting, and tests look at it.
  isMinimized = (): boolean => false;
  isMaximized = (): boolean => this.#state === 'maximized';
  isFullScreen = (): boolean => this.#state === 'fullscreen';

  #become(state: WindowState): void {
    if (this.#state === state) return;
    this.#state = state;
    if (!hostOptions().headless) this.#tellChromium({ windowState: state });
  }

  getNormalBounds = (): Rectangle => ({ ...this.#bounds });

  #tellChromium(bounds: Readonly<Record<string, number | string>>): void {
    const report = (error: unknown): void => {
      if (this.#closing || this.#destroyed) return;
      throw error;
    };
    void this.webContents
      .link()
      .then(async (link) => link.setBounds(bounds))
      .catch(report);
  }

  // These have a visible effect only under a real window manager.
  setProgressBar = (_progress: number): void => undefined;

  /** Asks the `close` listeners, then closes. */
  close = (): void => {
    if (this.#closing || this.#destroyed) return;
    const event = hostEvent({ sender: this.webContents });
    this.emit('close', event);
    if (!event.defaultPrevented) this.destroy();
  };

  /** Closes without asking. */
  destroy = (): void => {
    if (this.#closing) return;
    this.#closing = true;
    void this.#finish();
  };

  async #finish(): Promise<void> {
    await this.webContents.closePage();
    this.#visible = false;
    this.#focused = false;
    this.#destroyed = true;
    removeWindow(this);
    this.emit('closed');
    this.#closed.resolve();
    app.windowClosed();
  }

  /** The user closed Chromium's window: it is gone, whatever the application answers. */
  #pageLost(): void {
    if (this.#closing || this.#destroyed) return;
    this.close();
    if (!this.#closing) {
      this.#lost = true;
      this.hide();
    }
  }

  /** Handles what the page noticed about its window. */
  hear(message: FromPage): void {
    if (message['kind'] === 'focus') this.#focused = this.#visible;
    else if (message['kind'] === 'blur') this.#focused = false;
    else {
      const of = (name: string): number => Number(message[name]);
      this.#bounds = { x: of('x'), y: of('y'), width: of('width'), height: of('height') };
    }
  }
}
