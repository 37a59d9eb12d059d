/** The application under test on the Chromium host. */
import { chromium, type Browser, type Page } from '@playwright/test';
import type { AppUnderTest, Launch } from './appUnderTest.ts';
import { dropFiles } from './drop.ts';
import {
  notificationsSchema,
  numberSchema,
  openedSchema,
  textsSchema,
  trayItemsSchema,
  windowsSchema,
} from './hostAnswersSchema.ts';
import { startHost, type HostProcess } from './hostProcess.ts';

/** Starts the application on the host and attaches to its page as a second debugger. */
export async function launchHost(launch: Launch): Promise<AppUnderTest> {
  const host = startHost(launch);
  const line = pageLine(host);
  try {
    if (launch.waitForPage) await line.wait();
  } catch (error) {
    host.kill('SIGKILL');
    throw error;
  }
  const end = async (): Promise<void> => {
    await host.exited;
    await line.detach();
  };
  return {
    runtime: 'host',
    userDataDir: launch.userDataDir,
    get page() {
      return line.page();
    },
    waitForPage: () => line.wait(),
    answerNextDialog: async (answer) => void (await host.ask('answerDialog', answer)),
    dropFiles: (target, paths) => dropFiles(line.page(), target, paths),
    menuClick: async (path) => void (await host.ask('menuClick', path)),
    tray: {
      items: async () => trayItemsSchema.parse(await host.ask('trayItems')),
      click: async (label) => void (await host.ask('trayClick', label)),
    },
    notifications: async () => notificationsSchema.parse(await host.ask('notifications')),
    clickNotification: async (title) => void (await host.ask('clickNotification', title)),
    power: async (event) => void (await host.ask('power', event)),
    openedExternally: async () =>
      openedSchema.parse(await host.ask('opened')).map(({ target }) => target),
    windows: async () => windowsSchema.parse(await host.ask('windows')),
    closeWindow: async () => void (await host.ask('closeWindow')),
    crashRenderer: async () => {
      // Until this debugger has noticed it, too, the crashed page would pass for the new one.
      const crashed = line.page().waitForEvent('crash');
      await host.ask('crashRenderer');
      await crashed;
    },
    failMain: async (how, text) =>
      void (await host.ask(how === 'throw' ? 'failMain' : 'rejectMain', text)),
    secondStart: async (args) => startHost({ ...launch, args }).exited,
    quit: async () => void (await host.ask('quit')),
    close: async () => {
      const unanswered = await quit(host);
      await end();
      if (unanswered.length > 0) {
        throw new Error(`The test left this unanswered: ${unanswered.join(', ')}`);
      }
    },
    terminate: async () => {
      host.kill('SIGTERM');
      await end();
    },
    kill: async () => {
      host.kill('SIGKILL');
      await end();
    },
    exited: host.exited,
    output: () => host.output(),
  };
}

/** Asks to quit until the application ends; returns the dialogs that no test answered. */
async function quit(host: HostProcess): Promise<readonly string[]> {
  let unanswered: readonly string[] = [];
  const gone = host.exited.then(() => true);
  try {
    // The first quit may be refused in order to finish something, as before-quit allows.
    for (let ended = false; !ended;) {
      unanswered = textsSchema.parse(await host.ask('unanswered'));
      await host.ask('quit');
      const pause = new Promise<boolean>((resolve) => setTimeout(resolve, 500, false));
      ended = await Promise.race([gone, pause]);
    }
  } catch {
    await host.exited;
  }
  return unanswered;
}

interface PageLine {
  page(): Page;
  wait(): Promise<Page>;
  detach(): Promise<void>;
}

// The host knows about a page a moment before the second debugger does.
const LOOK_EVERY_MS = 20;
const LOOK_LIMIT_MS = 10_000;

function pageLine(host: HostProcess): PageLine {
  let browser: Browser | null = null;
  let attachedTo: number | null = null;
  const crashed = new WeakSet<Page>();
  const newest = (): Page | null => {
    const pages = browser?.contexts().flatMap((context) => context.pages()) ?? [];
    const usable = pages.filter((page) => !page.isClosed() && !crashed.has(page));
    return usable.findLast((page) => page.url() !== 'about:blank') ?? null;
  };
  const page = (): Page => {
    const found = newest();
    if (found === null) throw new Error('The application has no page now.');
    return found;
  };
  const attach = async (port: number | null): Promise<void> => {
    // Without Playwright's own defaults, which would override the application's colour scheme.
    browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`, { noDefaults: true });
    attachedTo = port;
    for (const context of browser.contexts()) {
      const follow = (entry: Page): void => void entry.on('crash', () => crashed.add(entry));
      context.pages().forEach(follow);
      context.on('page', follow);
    }
  };
  return {
    page,
    wait: async () => {
      await host.nextPage();
      const port = numberSchema.parse(await host.ask('debuggingPort'));
      if (port !== attachedTo) await attach(port);
      for (let waitedMs = 0; newest() === null && waitedMs < LOOK_LIMIT_MS;) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
        waitedMs += LOOK_EVERY_MS;
      }
      return page();
    },
    detach: async () => {
      await browser?.close();
    },
  };
}
