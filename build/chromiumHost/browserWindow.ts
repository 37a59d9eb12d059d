/** `BrowserWindow`: a Chromium window that acts as an application window. */
import { app } from './app.ts';
import { hostEvent } from './hostEvent.ts';
import type { Menu } from './menu.ts';
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

type WindowState = 'normal' | 'minimized' | 'maximized' | 'fullscreen';

let lastId = 0;

/** A window. Lives until `closed`. */
export class BrowserWindow extends HostEmitter {
  readonly id = ++lastId;
  readonly webContents: WebContents;
  /** Resolves when the window has closed. */
  readonly closed: Promise<void>;
  #announceClosed: () => void = () => undefined;
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
    this.closed = new Promise((resolve) => {
      this.#announceClosed = resolve;
    });
    this.webContents = new WebContents(options.webPreferences ?? {}, () => this.#pageLost());
    this.webContents.once('did-finish-load', () => this.emit('ready-to-show'));
    this.webContents.on('render-process-gone', (event, details: unknown) =>
      app.emit('render-process-gone', event, this.webContents, details),
    );
    addWindow(this);
    app.emit('web-contents-created', hostEvent({}), this.webContents);
    app.emit('browser-window-created', hostEvent({}), this);
    this.#tellChromium({ left: x, top: y, width, height });
  }

  static getAllWindows = (): BrowserWindow[] => allWindows();

  loadURL = (url: string): Promise<void> => this.webContents.loadURL(url);
  reload = (): void => this.webContents.reload();

  show = (): void => {
    const was = this.#visible;
    this.#visible = true;
    if (this.#lost) {
      // Its Chromium window was closed while the application only hid it: open it again.
      this.#lost = false;
      this.webContents.reload();
    }
    if (this.#state === 'minimized') this.restore();
    if (!was) this.emit('show');
    this.focus();
  };
  hide = (): void => {
    if (!this.#visible) return;
    this.#visible = false;
    this.#setFocused(false);
    this.emit('hide');
  };
  focus = (): void => {
    if (!this.#visible || this.#destroyed) return;
    for (const other of allWindows()) if (other !== this) other.blur();
    this.webContents.focus();
    this.#setFocused(true);
  };
  blur = (): void => this.#setFocused(false);
  isVisible = (): boolean => this.#visible && this.#state !== 'minimized';
  isFocused = (): boolean => this.#focused;
  isDestroyed = (): boolean => this.#destroyed;
  /** True from a close that was not prevented. */
  isClosing = (): boolean => this.#closing;

  #setFocused(focused: boolean): void {
    if (this.#focused === focused) return;
    this.#focused = focused;
    this.emit(focused ? 'focus' : 'blur');
    app.emit(focused ? 'browser-window-focus' : 'browser-window-blur', hostEvent({}), this);
  }

  minimize = (): void => this.#become('minimized', 'minimize');
  maximize = (): void => this.#become('maximized', 'maximize');
  restore = (): void => this.#become('normal', 'restore');
  setFullScreen = (on: boolean): void =>
    on
      ? this.#become('fullscreen', 'enter-full-screen')
      : this.#become('normal', 'leave-full-screen');
  isMinimized = (): boolean => this.#state === 'minimized';
  isMaximized = (): boolean => this.#state === 'maximized';
  isFullScreen = (): boolean => this.#state === 'fullscreen';

  #become(state: WindowState, event: string): void {
    if (this.#state === state) return;
    this.#state = state;
    // A minimised Chromium stops painting, but a hidden headless one must not, because tests look at it.
    if (!hostOptions().headless) this.#tellChromium({ windowState: state });
    this.emit(event);
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
  setMenu = (_menu: Menu | null): void => undefined;
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
    this.#announceClosed();
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
    if (message['kind'] === 'focus') this.#setFocused(this.#visible);
    else if (message['kind'] === 'blur') this.#setFocused(false);
    else {
      const of = (name: string): number => Number(message[name]);
      const bounds = { x: of('x'), y: of('y'), width: of('width'), height: of('height') };
      if (JSON.stringify(bounds) === JSON.stringify(this.#bounds)) return;
      this.#bounds = bounds;
      this.emit('resize');
    }
  }
}
