/** A small application that uses the same parts of Electron as Sluice; the host's own tests run it on the available runtime. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as electron from 'electron';

const { app, BrowserWindow, dialog, ipcMain, Menu, nativeTheme, Notification } = electron;
const { powerMonitor, protocol, safeStorage, session, shell, Tray, nativeImage } = electron;

const CSP = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:";
const TYPES = { html: 'text/html', js: 'text/javascript' };
const state = {
  window: null,
  tray: null,
  quitAllowed: !process.argv.includes('--ask-before-quit'),
};
const log = [];

protocol.registerSchemesAsPrivileged([
  { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true } },
]);

app.on('window-all-closed', () => log.push('window-all-closed'));
app.on('before-quit', (event) => {
  log.push('before-quit');
  if (state.quitAllowed) return;
  event.preventDefault();
  state.quitAllowed = true;
});
void app.whenReady().then(start);

async function start() {
  protocol.handle('app', serve);
  session.defaultSession.setPermissionRequestHandler((_contents, _permission, done) => done(false));
  session.defaultSession.setPermissionCheckHandler(() => false);
  for (const event of ['suspend', 'resume', 'on-battery', 'on-ac']) {
    powerMonitor.on(event, () => log.push(`power ${event} ${powerMonitor.isOnBatteryPower()}`));
  }
  answerPage();
  makeMenu();
  makeTray();
  await makeWindow();
}

async function serve(request) {
  const url = new URL(request.url);
  log.push(`serve ${url.href}`);
  const name = url.pathname.slice(1);
  const type = TYPES[name.split('.').pop()];
  if (url.host !== 'sluice' || type === undefined) return new Response('no', { status: 404 });
  const body = await readFile(join(import.meta.dirname, 'page', name));
  return new Response(body, {
    headers: { 'content-type': type, 'content-security-policy': CSP },
  });
}

async function makeWindow() {
  const window = new BrowserWindow({
    width: 900,
    height: 600,
    show: false,
    webPreferences: { preload: join(import.meta.dirname, 'preload.cjs') },
  });
  state.window = window;
  window.once('ready-to-show', () => window.show());
  window.on('close', (event) => {
    if (state.tray === null || state.quitting) return;
    event.preventDefault();
    window.hide();
  });
  window.on('closed', () => (state.window = null));
  window.webContents.setWindowOpenHandler(({ url }) => {
    log.push(`open ${url}`);
    if (url.startsWith('https://docs.example/')) void shell.openExternal(url);
    return { action: 'deny' };
  });
  window.webContents.on('will-navigate', (event, url) => {
    log.push(`will-navigate ${url}`);
    event.preventDefault();
  });
  window.webContents.on('render-process-gone', (_event, details) => {
    log.push(`gone ${details.reason}`);
    window.webContents.reload();
  });
  await window.loadURL('app://sluice/index.html');
}

function answerPage() {
  ipcMain.handle('echo', (_event, ...args) => args);
  ipcMain.handle('fail', () => {
    throw new Error('it failed');
  });
  ipcMain.handle('sender', ({ sender, senderFrame }) => ({
    url: senderFrame.url,
    origin: senderFrame.origin,
    top: senderFrame.parent === null,
    known: sender === state.window.webContents,
    shown: sender.getURL(),
  }));
  ipcMain.handle('log', () => log);
  ipcMain.handle('break', () => void Promise.reject(new Error('main broke')));
  ipcMain.handle('choose', async () =>
    dialog.showOpenDialog(state.window, { title: 'Pick a folder', properties: ['openDirectory'] }),
  );
  ipcMain.handle('secret', async (_event, text) => {
    const locked = await safeStorage.encryptStringAsync(text);
    return {
      readable: locked.toString('latin1').includes(text),
      back: (await safeStorage.decryptStringAsync(locked)).result,
    };
  });
  ipcMain.handle('notify', () => new Notification({ title: 'Done', body: '3 images' }).show());
  ipcMain.handle('theme', (_event, source) => void (nativeTheme.themeSource = source));
  ipcMain.on('tick', (event, count) => event.sender.send('tock', { count: count + 1 }));
}

function makeMenu() {
  const toggle = { label: 'Pause', type: 'checkbox', accelerator: 'CmdOrCtrl+Shift+P' };
  const menu = [
    {
      label: 'File',
      submenu: [
        { ...toggle, click: (item) => log.push(`pause ${item.checked}`) },
        { label: 'Off', enabled: false },
        { role: 'quit' },
      ],
    },
    { label: 'Help', submenu: [{ label: 'Docs', click: () => log.push('docs') }] },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(menu));
}

function makeTray() {
  if (process.argv.includes('--no-tray')) return;
  state.tray = new Tray(nativeImage.createEmpty());
  state.tray.setToolTip('Fixture');
  const quit = () => {
    state.quitting = true;
    app.quit();
  };
  const items = [
    { label: 'Open', click: () => state.window?.show() },
    { type: 'separator' },
    { label: 'Quit', click: quit },
  ];
  state.tray.setContextMenu(Menu.buildFromTemplate(items));
}

app.on('before-quit', (event) => {
  if (!event.defaultPrevented) state.quitting = true;
});
