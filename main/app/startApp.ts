/** The application put together: one instance, one data directory, the engine at work, and a window on it. */
import { join, resolve } from 'node:path';
import { app, dialog, nativeTheme } from 'electron';
import type { AppSnapshot } from '../../preload/views.ts';
import { defaultDataDirectory } from '../engine/dataDirectory.ts';
import { drop } from '../engine/drop.ts';
import type { Ports } from '../engine/ports.ts';
import { openStation, type Station } from '../engine/station.ts';
import type { StationNews } from '../engine/stationNews.ts';
import { explain } from '../../preload/errorText.ts';
import { createAllowedPaths } from './allowedPaths.ts';
import { knownDirectories } from '../engine/ledgerPaths.ts';
import type { AppContext } from './appContext.ts';
import { declareAppScheme, serveApp } from './appProtocol.ts';
import { HIDDEN, setAutoStart } from './autoStart.ts';
import { watchConditions } from './conditions.ts';
import { viewOfArguments, viewOfLink } from './deepLink.ts';
import { connectFromEnvironment, unlockConnections } from './firstConnections.ts';
import { createHandlers } from './ipcHandlers.ts';
import { serveIpc } from './ipcServer.ts';
import { setMenu } from './menu.ts';
import { createNotices } from './notices.ts';
import { notify, tellingOf } from './notifications.ts';
import { createProxies } from './proxies.ts';
import { handleQuit, type Quitting } from './quitting.ts';
import { createSecrets } from './secrets.ts';
import { openSettingsFile, type SettingsFile } from './settingsFile.ts';
import { startSnapshotPusher } from './snapshotPusher.ts';
import { type AppTray, createTray } from './tray.ts';
import { builtPaths, createWindow, lockDown } from './window.ts';

/** What only the composition root can make. */
export interface Parts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where the built main stands. */
  readonly mainDirectory: string;
  /** The engine's ports over a data directory; `reset` drops idle sockets. */
  createPorts(
    dataDirectory: string,
    proxyUrlFor: (origin: string) => string | null,
  ): { readonly ports: Ports; readonly logPath: string; reset(): void; close(): Promise<void> };
  proxyFromEnvironment(origin: string): string | null;
}

function dataDirectoryOf(environment: Parts['environment']): string {
  const named = environment['SLUICE_DATA_DIR'];
  if (named !== undefined && named !== '') return resolve(named);
  if (app.commandLine.hasSwitch('user-data-dir')) return join(app.getPath('userData'), 'data');
  return defaultDataDirectory(process.platform, environment);
}

/** Takes the data directory; asks to try again while another program has it. null: the person gave it up. */
async function takeStation(
  dataDirectory: string,
  ports: Ports,
  tell: (news: StationNews) => void,
): Promise<Station | null> {
  for (;;) {
    const opened = openStation(dataDirectory, ports, tell);
    if (opened.ok) return opened.value;
    const { message, hint } = explain(opened.error);
    const answer = await dialog.showMessageBox({
      type: 'error',
      message,
      detail: hint,
      buttons: ['Try again', 'Quit'],
      defaultId: 0,
      cancelId: 1,
    });
    if (answer.response !== 0) return null;
  }
}

function ownPart(
  context: Omit<AppContext, 'window' | 'snapshot' | 'applySettings'>,
): () => Pick<AppSnapshot, 'runtime' | 'notices' | 'settings'> {
  const { station, settingsFile, secrets, notices } = context;
  return () => {
    const { theme, notifications, startAtLogin, closeToTray, keepAwake } = settingsFile.read();
    return {
      runtime: {
        version: context.version,
        platform: process.platform,
        dataDirectory: station.dataDirectory,
        development: context.development,
        secretsProtected: secrets.protects(),
        tray: context.tray(),
      },
      notices: notices.all(),
      settings: {
        ...{ theme, notifications, startAtLogin, closeToTray, keepAwake },
        ...station.settings(),
      },
    };
  };
}

function sayAtStart(context: AppContext): void {
  const { notices, station, settingsFile, secrets } = context;
  const { salvage } = station.engine;
  if (salvage !== null) {
    notices.say(
      'salvage',
      `The ledger was damaged. It is kept as ${salvage.setAside}; ${salvage.rowsSaved} rows were saved from it.`,
    );
  }
  if (settingsFile.restored === 'backup') {
    notices.say('settings', 'The settings of the window were damaged; the backup is used.');
  }
  if (settingsFile.restored === 'lost') {
    notices.say(
      'settings',
      'The settings of the window were damaged and begin anew. Give the key again.',
    );
  }
  if (!secrets.protects()) {
    notices.say(
      'basic_text',
      'This system has no keychain, so other programs of yours could read the key.',
    );
  }
}

async function run(parts: Parts): Promise<void> {
  const { environment } = parts;
  const { preload, page } = builtPaths(parts.mainDirectory);
  lockDown();
  serveApp(page);
  const settingsFile: SettingsFile = await openSettingsFile(app.getPath('userData'));
  const dataDirectory = dataDirectoryOf(environment);
  const proxies = createProxies(parts.proxyFromEnvironment, () => made.reset());
  const made = parts.createPorts(dataDirectory, proxies.urlFor);
  let hear: (news: StationNews) => void = () => undefined;
  const station = await takeStation(dataDirectory, made.ports, (news) => hear(news));
  if (station === null) {
    await made.close();
    return app.exit(1);
  }
  const log = (event: string, facts: Readonly<Record<string, string>>): void =>
    made.ports.log.write('warn', event, facts);
  let quitting: Quitting | null = null;
  let tray: AppTray | null = null;
  const window = createWindow({
    settingsFile,
    preload,
    hidesOnClose: () =>
      quitting?.begun() !== true && tray?.there === true && settingsFile.read().closeToTray,
    log,
  });
  const shared = {
    station,
    settingsFile,
    secrets: createSecrets(settingsFile),
    notices: createNotices(),
    allowed: createAllowedPaths(() => knownDirectories(station.store)),
    development: !app.isPackaged,
    version: app.getVersion(),
    logPath: made.logPath,
    tray: () => tray?.there === true,
  };
  const conditions = watchConditions(station, made.reset);
  const pusher = startSnapshotPusher(station, ownPart(shared), (snapshot) => {
    window.push('snapshot', snapshot);
    tray?.show(snapshot);
    conditions.apply(settingsFile.read().keepAwake);
  });
  const context: AppContext = {
    ...shared,
    window,
    snapshot: pusher.current,
    applySettings: async () => {
      const { theme, startAtLogin } = settingsFile.read();
      nativeTheme.themeSource = theme;
      if (app.isPackaged) await setAutoStart(startAtLogin, environment);
    },
  };
  hear = (news) => {
    const told = tellingOf(news, settingsFile.read().notifications);
    if (told !== null) notify(told, window.navigate);
  };
  let silent = false;
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
    process.on(signal, () => (silent = true));
  }
  quitting = handleQuit(
    context,
    async () => {
      pusher.stop();
      conditions.stop();
      tray?.remove();
      await station.stop();
      await settingsFile.settled();
      await made.close();
    },
    () => silent,
  );
  serveIpc({
    handlers: createHandlers(context),
    isOurWindow: (event) => event.sender === window.current()?.webContents,
    dropped: shared.allowed.allow,
    log,
  });
  const actions = {
    navigate: window.navigate,
    open: window.show,
    pause: station.pause,
    rescan: station.rescan,
    quit: () => app.quit(),
  };
  setMenu(actions, shared.development);
  tray = createTray(actions);
  sayAtStart(context);
  await context.applySettings();
  followStarts(context);
  await unlockConnections(context, proxies.learn);
  if (!app.isPackaged) drop(connectFromEnvironment(context, environment));
  tray.show(pusher.current());
  const wanted = viewOfArguments(process.argv);
  if (wanted !== null) window.navigate(wanted);
  else if (!process.argv.includes(HIDDEN) || !tray.there) window.show();
}

/** Further starts, links and the dock lead to the one window. */
function followStarts({ window }: AppContext): void {
  app.on('second-instance', (_event, words) => {
    const view = viewOfArguments(words);
    if (view === null) window.show();
    else window.navigate(view);
  });
  app.on('open-url', (event, link) => {
    event.preventDefault();
    const view = viewOfLink(link);
    if (view !== null) window.navigate(view);
  });
  app.on('activate', () => window.show());
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  if (app.isPackaged) app.setAsDefaultProtocolClient('sluice');
}

/** Starts the application, or hands the start over to the one that runs. Does not wait for it to be ready. */
export function startApp(parts: Parts): void {
  declareAppScheme();
  if (!app.requestSingleInstanceLock()) {
    app.exit(0);
    return;
  }
  app
    .whenReady()
    .then(() => run(parts))
    .catch((thrown: unknown) => {
      dialog.showErrorBox(
        'Sluice cannot start',
        thrown instanceof Error ? thrown.message : String(thrown),
      );
      app.exit(1);
    });
}
