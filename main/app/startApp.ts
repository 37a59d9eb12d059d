/** The application put together: one instance, one data directory, the engine at work, and a window on it. */
import { join, resolve } from 'node:path';
import { app, dialog, nativeTheme } from 'electron';
import { defaultDataDirectory } from '../engine/core/dataDirectory.ts';
import { drop } from '../engine/core/drop.ts';
import type { Ports } from '../engine/core/ports.ts';
import type { Station } from '../engine/host/host.ts';
import type { StationNews } from '../engine/host/events.ts';
import { createAllowedPaths } from './ipc/allowedPaths.ts';
import { knownDirectories } from '../engine/queries/ledgerPaths.ts';
import type { AppContext, Log } from './appContext.ts';
import { declareAppScheme, serveApp } from './window/appProtocol.ts';
import { HIDDEN, setAutoStart } from './system/autoStart.ts';
import { watchConditions } from './system/power.ts';
import { viewOfArguments, viewOfLink } from './window/deepLink.ts';
import { connectFromEnvironment, unlockConnections } from './firstConnections.ts';
import { type FailureMeans, watchFailures } from './system/failures.ts';
import { createHandlers } from './ipc/ipcHandlers.ts';
import { serveIpc } from './ipc/ipcServer.ts';
import { setMenu } from './window/menu.ts';
import { createNotices } from './window/notices.ts';
import { notify, tellingOf } from './window/notifications.ts';
import { createProxies, type Proxies } from './system/proxies.ts';
import { handleQuit, type Quitting } from './system/quitting.ts';
import { createSecrets } from './system/secrets.ts';
import { openSettingsFile, type SettingsFile } from './system/settingsFile.ts';
import { ownPart, sayAtStart } from './window/windowSnapshot.ts';
import { startSnapshotPusher } from './window/snapshotPusher.ts';
import { refusedSwitch } from './startupNotices.ts';
import { takeStation } from './acquireHost.ts';
import { type AppTray, createTray } from './window/tray.ts';
import { builtPaths, createWindow, lockDown } from './window/window.ts';

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
  if (!app.isPackaged && app.commandLine.hasSwitch('user-data-dir')) {
    return join(app.getPath('userData'), 'data');
  }
  return defaultDataDirectory(process.platform, environment);
}

interface Prepared {
  readonly parts: Parts;
  readonly settingsFile: SettingsFile;
  readonly proxies: Proxies;
  readonly made: ReturnType<Parts['createPorts']>;
  readonly station: Station;
  /** Says who hears the news from now on. */
  hearBy(hear: (news: StationNews) => void): void;
}

/** Opens settings, ports and the data directory; null when a person gave up waiting for it. */
async function prepare(parts: Parts): Promise<Prepared | null> {
  const settingsFile = await openSettingsFile(app.getPath('userData'));
  const dataDirectory = dataDirectoryOf(parts.environment);
  const proxies = createProxies(parts.proxyFromEnvironment, () => made.reset());
  const made = parts.createPorts(dataDirectory, proxies.urlFor);
  let hear: (news: StationNews) => void = () => undefined;
  const station = await takeStation(dataDirectory, made.ports, (news) => hear(news));
  if (station === null) {
    await made.close();
    return null;
  }
  return { parts, settingsFile, proxies, made, station, hearBy: (next) => (hear = next) };
}

/** What the window and the tray know of each other: made one after the other, asked later. */
interface Desk {
  tray: AppTray | null;
  quitting: Quitting | null;
  silent: boolean;
  /** Until the keys of the connections are read. */
  opening: boolean;
}

interface Opened {
  /** A request of the window was answered: there may be news to show. */
  readonly answered: () => void;
  readonly context: AppContext;
  stop(): Promise<void>;
}

/** Makes the context: everything that handlers need. */
function openContext({ parts, settingsFile, made, station }: Prepared, desk: Desk): Opened {
  const log: Log = (event, facts) => made.ports.log.write('warn', event, facts);
  const window = createWindow({
    settingsFile,
    preload: builtPaths(parts.mainDirectory).preload,
    hidesOnClose: () =>
      desk.quitting?.begun() !== true &&
      desk.tray?.there === true &&
      settingsFile.read().closeToTray,
    log,
  });
  const shared = {
    station,
    settingsFile,
    secrets: createSecrets(settingsFile),
    notices: createNotices({
      read: () => settingsFile.read().putAway,
      write: (putAway) => settingsFile.write({ putAway: [...putAway] }),
    }),
    allowed: createAllowedPaths(() => knownDirectories(station.store)),
    development: !app.isPackaged,
    version: app.getVersion(),
    logPath: made.logPath,
    log,
    tray: () => desk.tray?.there === true,
  };
  sayAtStart(shared);
  const conditions = watchConditions(station, settingsFile.read, made.reset, (event) =>
    made.ports.log.write('info', event),
  );
  const opening = (): boolean => desk.opening;
  const pusher = startSnapshotPusher(station, ownPart(shared), opening, (snapshot) => {
    window.push('snapshot', snapshot);
    desk.tray?.show(snapshot);
    conditions.apply();
  });
  const applySettings = async (): Promise<void> => {
    const { theme, startAtLogin } = settingsFile.read();
    nativeTheme.themeSource = theme;
    if (app.isPackaged) await setAutoStart(startAtLogin, parts.environment);
  };
  return {
    context: { ...shared, window, snapshot: pusher.current, applySettings },
    answered: pusher.wake,
    stop: async () => {
      pusher.stop();
      conditions.stop();
      desk.tray?.remove();
      await station.stop();
      await settingsFile.settled();
      await made.close();
    },
  };
}

async function run(parts: Parts, failable: (means: FailureMeans) => void): Promise<void> {
  lockDown();
  serveApp(builtPaths(parts.mainDirectory).page);
  const prepared = await prepare(parts);
  if (prepared === null) return app.exit(1);
  const { station, settingsFile } = prepared;
  const desk: Desk = { tray: null, quitting: null, silent: false, opening: true };
  const { context, answered, stop } = openContext(prepared, desk);
  const { window } = context;
  prepared.hearBy((news) => {
    const told = tellingOf(news, settingsFile.read().notifications);
    if (told !== null) notify(told, window.navigate);
  });
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
    process.on(signal, () => (desk.silent = true));
  }
  const quitting = handleQuit(context, stop, () => desk.silent);
  desk.quitting = quitting;
  failable({
    ...{ log: prepared.made.ports.log, settingsFile, logPath: prepared.made.logPath, stop },
    program: parts.environment['APPIMAGE'],
    now: () => station.ports.clock.now(),
    visible: window.isOpen,
    ending: quitting.begun,
  });
  serveIpc({
    handlers: createHandlers(context),
    isOurWindow: (event) => event.sender === window.current()?.webContents,
    dropped: context.allowed.allow,
    answered,
    log: context.log,
  });
  const { pause, rescan } = station;
  const { navigate, show: open } = window;
  setMenu({ navigate, pause, rescan }, context.development);
  const tray = createTray({ open, pause, quit: () => app.quit() });
  desk.tray = tray;
  await context.applySettings();
  followStarts(context);
  // Before the keys are read: a keychain that asks for its password, or a slow proxy script, may take its time.
  const wanted = viewOfArguments(process.argv);
  if (wanted !== null) window.navigate(wanted);
  else if (!process.argv.includes(HIDDEN) || !tray.there) window.show();
  await unlockConnections(context, prepared.proxies.learn);
  desk.opening = false;
  // An installed application connects nothing by variables, but a ledger may come from a checkout that did.
  drop(connectFromEnvironment(context, app.isPackaged ? {} : parts.environment));
  tray.show(context.snapshot());
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
  const refused = app.isPackaged ? refusedSwitch(process.argv) : null;
  if (refused !== null) {
    // Before Chromium opens a port for it.
    dialog.showErrorBox('Sluice cannot start', `The installed Sluice does not take ${refused}.`);
    app.exit(1);
    return;
  }
  declareAppScheme();
  if (!app.requestSingleInstanceLock()) {
    app.exit(0);
    return;
  }
  const failable = watchFailures();
  app
    .whenReady()
    .then(() => run(parts, failable))
    .catch((thrown: unknown) => {
      dialog.showErrorBox(
        'Sluice cannot start',
        thrown instanceof Error ? thrown.message : String(thrown),
      );
      app.exit(1);
    });
}
