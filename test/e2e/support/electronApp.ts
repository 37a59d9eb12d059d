/** The application under test on Electron itself. Not run on machines without its binary. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { _electron, type ElectronApplication, type Page } from '@playwright/test';
import { electronBinary } from '../../../build/electronBinary.ts';
import type { AppUnderTest, Launch } from './appUnderTest.ts';
import { dropFiles } from './drop.ts';
import * as inMain from './electronDrive.ts';
import {
  notificationsSchema,
  textsSchema,
  trayItemsSchema,
  windowsSchema,
} from './hostAnswersSchema.ts';

const SPY = join(import.meta.dirname, 'electronSpy.cjs');

/** Starts the application on Electron, with a spy that records what it shows outside the page. */
export async function launchElectron(launch: Launch): Promise<AppUnderTest> {
  const executablePath = await electronBinary(false);
  if (executablePath === null) throw new Error("Electron's binary is not here.");
  const args = ['-r', SPY, launch.entry, `--user-data-dir=${launch.userDataDir}`, ...launch.args];
  const env = { ...plainEnv(), ...launch.env };
  const electron = await _electron.launch({ executablePath, args: [...rootArgs(), ...args], env });
  const child = electron.process();
  let output = '';
  child.stdout?.on('data', (text: Buffer) => (output += String(text)));
  child.stderr?.on('data', (text: Buffer) => (output += String(text)));
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  if (launch.waitForPage) await loadedPage(electron);
  const page = (): Page => {
    const found = electron.windows().findLast((entry) => !entry.isClosed());
    if (found === undefined) throw new Error('The application has no page now.');
    return found;
  };
  return {
    runtime: 'electron',
    userDataDir: launch.userDataDir,
    get page() {
      return page();
    },
    waitForPage: () => loadedPage(electron),
    answerNextDialog: (answer) => electron.evaluate(inMain.queueAnswer, answer),
    dropFiles: (target, paths) => dropFiles(page(), target, paths),
    menuClick: (path) => electron.evaluate(inMain.clickMenu, [...path]),
    tray: {
      items: async () => trayItemsSchema.parse(await electron.evaluate(inMain.trayItems)),
      click: (label) => electron.evaluate(inMain.clickTray, label),
    },
    notifications: async () =>
      notificationsSchema.parse(await electron.evaluate(inMain.spied, 'notifications')),
    clickNotification: (title) => electron.evaluate(inMain.clickNotification, title),
    power: (event) => electron.evaluate(inMain.power, event),
    openedExternally: async () =>
      textsSchema.parse(await electron.evaluate(inMain.spied, 'opened')),
    windows: async () => windowsSchema.parse(await electron.evaluate(inMain.windows)),
    closeWindow: () => electron.evaluate(inMain.closeWindow),
    failMain: (how, text) => electron.evaluate(inMain.fail, [how, text] as const),
    crashRenderer: () => electron.evaluate(inMain.crash),
    secondStart: (more) =>
      new Promise((resolve) => {
        const second = [...rootArgs(), ...args.slice(0, 4), ...more];
        spawn(executablePath, second, { env, stdio: 'ignore' }).once('exit', resolve);
      }),
    quit: () => electron.evaluate(inMain.quit),
    close: async () => {
      const left = textsSchema.parse(await electron.evaluate(inMain.spied, 'unanswered'));
      await electron.close();
      if (left.length > 0) throw new Error(`The test left this unanswered: ${left.join(', ')}`);
    },
    terminate: async () => {
      child.kill('SIGTERM');
      await exited;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
    exited,
    output: () => output,
  };
}

async function loadedPage(electron: ElectronApplication): Promise<Page> {
  const open = electron.windows().findLast((entry) => !entry.isClosed());
  const page = open ?? (await electron.waitForEvent('window'));
  await page.waitForLoadState('load');
  return page;
}

/** Chromium refuses its sandbox as root. */
function rootArgs(): readonly string[] {
  return process.getuid?.() === 0 ? ['--no-sandbox'] : [];
}

function plainEnv(): Record<string, string> {
  const entries = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(entries);
}
