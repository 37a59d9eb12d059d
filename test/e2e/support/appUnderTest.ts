/** The application under test, the same on Electron and on the Chromium host. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { chosenRuntime } from '../../../build/electronBinary.ts';

/** A test's answer to the next dialog. `paths` answer the file dialogs, `response` is the number of a button. */
export interface DialogAnswer {
  readonly canceled?: boolean;
  readonly filePaths?: readonly string[];
  readonly filePath?: string;
  readonly response?: number;
  readonly checkboxChecked?: boolean;
}

interface TrayItem {
  readonly label: string;
  readonly enabled: boolean;
  readonly checked: boolean;
}

interface ShownNotification {
  readonly title: string;
  readonly body: string;
}

interface WindowState {
  readonly url: string;
  readonly visible: boolean;
  readonly focused: boolean;
}

type PowerEvent =
  | 'suspend'
  | 'resume'
  | 'on-battery'
  | 'on-ac'
  | 'lock-screen'
  | 'unlock-screen'
  | 'shutdown';

export interface LaunchOptions {
  /** A built main; out/main/main.js by default. */
  readonly entry?: string;
  /** The data directory; a new temporary one by default. */
  readonly userDataDir?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** False for an application that starts without a window. */
  readonly waitForPage?: boolean;
}

/** `LaunchOptions` with every default filled in. */
export interface Launch {
  readonly entry: string;
  readonly userDataDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly waitForPage: boolean;
}

/** A running application and what a person can do with it. */
export interface AppUnderTest {
  readonly runtime: 'electron' | 'host';
  readonly userDataDir: string;
  /** The page of the newest window; a new one after a crash. Throws while there is none. */
  readonly page: Page;
  /** Waits until a page is loaded (again). */
  waitForPage(): Promise<Page>;
  /** Answers the next dialog that opens; call it before the action that opens the dialog. */
  answerNextDialog(answer: DialogAnswer): Promise<void>;
  /** Drops real files and directories. */
  dropFiles(target: Locator, paths: readonly string[]): Promise<void>;
  /** Clicks in the open context menu, else in the application's menu. */
  menuClick(path: readonly string[]): Promise<void>;
  readonly tray: {
    /** Empty without a tray icon. */
    items(): Promise<readonly TrayItem[]>;
    click(label: string): Promise<void>;
  };
  notifications(): Promise<readonly ShownNotification[]>;
  clickNotification(title: string): Promise<void>;
  power(event: PowerEvent): Promise<void>;
  /** What was passed to the desktop: addresses, files, directories. */
  openedExternally(): Promise<readonly string[]>;
  windows(): Promise<readonly WindowState[]>;
  /** The X of the window. */
  closeWindow(): Promise<void>;
  crashRenderer(): Promise<void>;
  /** Throws an uncaught error in the main process, or rejects a promise that nobody awaits. */
  failMain(how: 'throw' | 'reject', text: string): Promise<void>;
  /** Starts the application a second time on the same data; returns its exit code. */
  secondStart(args: readonly string[]): Promise<number | null>;
  /** Asks the application to quit without waiting: it may refuse. */
  quit(): Promise<void>;
  /** Quits (twice if the first is refused) and waits for the end; fails if a dialog was left unanswered. */
  close(): Promise<void>;
  /** Ends it like the system at shutdown (SIGTERM): it may still finish something. */
  terminate(): Promise<void>;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
  /** Resolves with the exit code when it has ended. */
  readonly exited: Promise<number | null>;
  /** Its output so far. */
  output(): string;
}

/** Starts the application on the runtime of this machine. */
export async function launchApp(options: LaunchOptions = {}): Promise<AppUnderTest> {
  const launch: Launch = {
    entry: options.entry ?? join(import.meta.dirname, '../../../out/main/main.js'),
    userDataDir: options.userDataDir ?? (await mkdtemp(join(tmpdir(), 'sluice-e2e-'))),
    env: options.env ?? {},
    args: options.args ?? [],
    waitForPage: options.waitForPage ?? true,
  };
  const runtime = await chosenRuntime();
  console.log(`Runtime: ${runtime === 'host' ? 'Chromium host' : 'Electron'}`);
  // Only the chosen one is loaded: each pulls in its own half of Playwright.
  if (runtime === 'host') return (await import('./hostApp.ts')).launchHost(launch);
  return (await import('./electronApp.ts')).launchElectron(launch);
}
