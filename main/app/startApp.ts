/** Assembles the application: single instance, one data directory, the engine host, and the window. */
import { join, resolve } from 'node:path';
import { app, dialog, nativeTheme } from 'electron';
import { defaultDataDirectory } from '../engine/core/dataDirectory.ts';
import { drop } from '../engine/core/errors.ts';
import type { Ports, Environment } from '../engine/core/ports.ts';
import { selectConnection } from '../engine/host/connections.ts';
import type { EngineEvent } from '../engine/host/events.ts';
import { createAllowedPaths } from './ipc/allowedPaths.ts';
import { itemPath } from '../engine/queries/itemPages.ts';
import { knownDirectories } from '../engine/queries/ledgerPaths.ts';
import type { AppContext, Log } from './appContext.ts';
import { declareAppScheme, serveApp } from './window/appProtocol.ts';
import { HIDDEN, setAutoStart } from './system/autoStart.ts';
import { managePower } from './system/power.ts';
import { viewOfArguments, viewOfLink } from './window/deepLinks.ts';
import { environmentConnection } from './environmentConnection.ts';
import { connectFromEnvironment, unlockConnections } from './startupConnections.ts';
import { type FailureContext, watchFailures } from './system/failures.ts';
import { createHandlers } from './ipc/handlers.ts';
import { serveIpc } from './ipc/ipcServer.ts';
import { setMenu } from './window/menu.ts';
import { createNotices } from './window/notices.ts';
import {
  connectionToSelect,
  type NotificationText,
  notify,
  toNotification,
} from './window/notifications.ts';
import { createProxies, type Proxies } from './system/proxies.ts';
import { handleQuit } from './system/quitting.ts';
import { createSecrets } from './system/secrets.ts';
import { openSettingsFile } from './system/settingsFile.ts';
import { windowSnapshot, addStartupNotices } from './window/windowSnapshot.ts';
import { createProgressBar } from './window/progressBar.ts';
import { startSnapshotPusher } from './window/snapshotPusher.ts';
import { openPath, showInFolder } from './system/desktop.ts';
import { pathToOpen } from './system/pathToOpen.ts';
import { refusedSwitch } from './system/refusedSwitches.ts';
import { watchForUpdates } from './system/updates.ts';
import { acquireHost } from './acquireHost.ts';
import { type AppTray, createTray } from './window/tray.ts';
import { builtPaths, createWindow, lockDown } from './window/window.ts';

export interface CompositionRoot {
  readonly environment: Environment;
  /** The directory of the built main process. */
  readonly mainDirectory: string;
  /** The engine's ports over a data directory; `reset` closes idle sockets. */
  createPorts(
    dataDirectory: string,
    routesFor: Proxies['routesFor'],
  ): { readonly ports: Ports; readonly logPath: string; reset(): void; close(): Promise<void> };
  proxyFromEnvironment(origin: string): string | null;
}

/** A window that has not drawn anything by then must not keep files from being uploaded. */
const FIRST_FRAME_MS = 5000;

function dataDirectoryOf(environment: CompositionRoot['environment']): string {
  const named = environment['SLUICE_DATA_DIR'];
  if (named !== undefined && named !== '') return resolve(named);
  if (!app.isPackaged && app.commandLine.hasSwitch('user-data-dir')) {
    return join(app.getPath('userData'), 'data');
  }
  return defaultDataDirectory(process.platform, environment);
}

type Prepared = NonNullable<Awaited<ReturnType<typeof prepare>>>;

/** Opens settings, ports and the data directory; null when the user chose not to wait for it. */
async function prepare(root: CompositionRoot) {
  const settingsFile = await openSettingsFile(app.getPath('userData'));
  const dataDirectory = dataDirectoryOf(root.environment);
  const proxies = createProxies(root.proxyFromEnvironment, () => network.reset());
  const network = root.createPorts(dataDirectory, proxies.routesFor);
  let listener: (event: EngineEvent) => void = () => undefined;
  const host = await acquireHost(dataDirectory, network.ports, (event) => listener(event));
  if (host === null) {
    await network.close();
    return null;
  }
  const onEvent = (next: typeof listener): void => void (listener = next);
  return { root, settingsFile, proxies, network, host, onEvent };
}

interface WindowState {
  tray: AppTray | null;
  /** True once the program will certainly end. */
  isEnding: () => boolean;
  /** True after a signal: no dialog may be shown. */
  isSilent: boolean;
  /** True until the keys of the connections are read. */
  areKeysPending: boolean;
}

function openContext({ root, settingsFile, network, host }: Prepared, state: WindowState) {
  const log: Log = (event, facts) => network.ports.log.write('warn', event, facts);
  const window = createWindow({
    settingsFile,
    preload: builtPaths(root.mainDirectory).preload,
    hidesOnClose: () =>
      !state.isEnding() && state.tray?.isShown === true && settingsFile.read().closeToTray,
    log,
  });
  const shared = {
    host,
    settingsFile,
    secrets: createSecrets(settingsFile),
    notices: createNotices(settingsFile),
    allowed: createAllowedPaths(host.ports.files, () => knownDirectories(host.store)),
    development: !app.isPackaged,
    version: app.getVersion(),
    logPath: network.logPath,
    log,
    tray: () => state.tray?.isShown === true,
  };
  addStartupNotices(shared);
  const power = managePower(host, settingsFile.read, network.reset, (event) =>
    network.ports.log.write('info', event),
  );
  const areKeysPending = (): boolean => state.areKeysPending;
  const showBar = createProgressBar();
  const pusher = startSnapshotPusher(host, windowSnapshot(shared), areKeysPending, (snapshot) => {
    window.push('snapshot', snapshot);
    state.tray?.show(snapshot);
    showBar(window.current(), snapshot);
    power.apply();
  });
  const applySettings = async (): Promise<void> => {
    const { theme, startAtLogin } = settingsFile.read();
    nativeTheme.themeSource = theme;
    if (app.isPackaged) await setAutoStart(startAtLogin, root.environment);
  };
  return {
    context: { ...shared, window, snapshot: pusher.current, applySettings },
    /** Call after each request from the window: the snapshot may have changed. */
    onRequest: pusher.pollSoon,
    stop: async () => {
      pusher.stop();
      power.stop();
      state.tray?.remove();
      await host.stop();
      await settingsFile.settled();
      await network.close();
    },
  };
}

/** Starts the connections whose keys are available, once the window is drawn. */
async function startConnections(
  { root, host, proxies }: Prepared,
  context: AppContext,
): Promise<void> {
  const { window } = context;
  // Scanning the folders uses every processor, so the window is drawn first.
  const late = host.ports.clock.sleep(FIRST_FRAME_MS, host.signal);
  const mayWork =
    window.current() === null ? Promise.resolve() : Promise.race([window.firstFrame, late]);
  const unlocking = unlockConnections(context, proxies.lookUp, mayWork);
  // An installed application ignores the variables, but its ledger may have been used from a checkout that did not ignore them.
  const named = app.isPackaged ? null : environmentConnection(root.environment, context.log);
  const connecting = connectFromEnvironment(context, named, { mayWork, unlocking });
  await unlocking;
  // When the workspace has to be looked up first, the service may take arbitrarily long.
  if (named === null || named.workspace === null) drop(connecting);
  else await connecting;
}

async function run(
  root: CompositionRoot,
  setFailureHandler: (context: FailureContext) => void,
): Promise<void> {
  lockDown();
  const prepared = await prepare(root);
  if (prepared === null) return app.exit(1);
  const { host, settingsFile, network } = prepared;
  serveApp(builtPaths(root.mainDirectory).page, async (id) => {
    const path = itemPath(host.store, id);
    return path === null ? null : host.ports.files.realPath(path);
  });
  const state: WindowState = {
    tray: null,
    isEnding: () => false,
    isSilent: false,
    areKeysPending: true,
  };
  const { context, onRequest, stop } = openContext(prepared, state);
  const { window } = context;
  notifyOfEvents(prepared, context);
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
    process.on(signal, () => (state.isSilent = true));
  }
  state.isEnding = handleQuit(context, stop, () => state.isSilent);
  setFailureHandler({
    log: network.ports.log,
    settingsFile,
    logPath: network.logPath,
    stop,
    program: root.environment['APPIMAGE'],
    now: () => host.ports.clock.now(),
    visible: window.isOpen,
    ending: state.isEnding,
  });
  serveIpc({
    handlers: createHandlers(context),
    isOurWindow: (event) => event.sender === window.current()?.webContents,
    dropped: context.allowed.allow,
    answered: onRequest,
    log: context.log,
  });
  setMenu(context);
  const tray = createTray(context);
  state.tray = tray;
  await context.applySettings();
  showWindowOnActivation(context);
  // Before the keys are read: a keychain that asks for its password, or a slow proxy script, can take a while.
  const view = viewOfArguments(process.argv);
  if (view !== null || !process.argv.includes(HIDDEN) || !tray.isShown) window.open(view);
  await startConnections(prepared, context);
  state.areKeysPending = false;
  tray.show(context.snapshot());
  drop(watchForUpdates(context));
}

function notifyOfEvents({ onEvent, settingsFile }: Prepared, context: AppContext): void {
  onEvent((event) => {
    const text = toNotification(event, settingsFile.read().notifications);
    if (text === null) return;
    notify(text, (opens) => {
      if (opens.kind === 'view') showView(context, opens);
      else openFolder(opens.path);
    });
  });
}

/** Shows a view in the workspace that it is about. */
function showView(
  { host, window, snapshot }: AppContext,
  { to, of }: Extract<NotificationText['opens'], { kind: 'view' }>,
): void {
  const known = host.connections().map(({ id }) => id);
  const id = connectionToSelect(of, host.selectedId(), known);
  if (id !== null) {
    selectConnection(host.store, id);
    // The page closes what is open when the workspace changes, so it has to know of that first.
    snapshot();
  }
  window.navigate(to);
}

/** Shows a results folder; one that the system could take for a program is only selected. */
function openFolder(path: string): void {
  const target = pathToOpen(path, true, process.platform);
  drop(target === null ? showInFolder(path) : openPath(target));
}

/** Second starts, links and the dock bring up the one window. */
function showWindowOnActivation({ window }: AppContext): void {
  app.on('second-instance', (_event, argv) => window.open(viewOfArguments(argv)));
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

/** Starts the application, or activates the running instance. Returns before it is ready. */
export function startApp(root: CompositionRoot): void {
  const refused = app.isPackaged ? refusedSwitch(process.argv) : null;
  if (refused !== null) {
    // This runs before Chromium opens a port for it.
    dialog.showErrorBox('Sluice cannot start', `The installed Sluice does not accept ${refused}.`);
    app.exit(1);
    return;
  }
  declareAppScheme();
  if (!app.requestSingleInstanceLock()) {
    app.exit(0);
    return;
  }
  const failures = watchFailures();
  app
    .whenReady()
    .then(() => run(root, failures))
    .catch((thrown: unknown) => {
      dialog.showErrorBox(
        'Sluice cannot start',
        thrown instanceof Error ? thrown.message : String(thrown),
      );
      app.exit(1);
    });
}
