'use strict';
// Loaded into Electron before the application: records what it shows outside the page, and answers dialogs for tests.
const { app, dialog, Notification, shell, Tray } = require('electron');

const spy = { answers: [], unanswered: [], notifications: [], opened: [] };
const state = { menu: null };
globalThis.sluiceSpy = spy;

// The same line as build/chromiumHost/trouble.ts writes.
const report = (text) => process.stderr.write(`sluice-trouble: ${JSON.stringify(text)}\n`);
app.on('web-contents-created', (_event, contents) => {
  contents.on('console-message', ({ level, message }) => {
    if (level === 'error') report(`The page said: ${message}`);
  });
  contents.on('preload-error', (_failed, path, error) => report(`The preload ${path}: ${error}`));
});
for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error) => report(`Unhandled (${event}): ${error}`));
}

// A test starts the next one itself; the same line as build/chromiumHost/records.ts names.
app.relaunch = ({ args = process.argv.slice(1) } = {}) =>
  void process.stdout.write(`sluice-relaunch: ${JSON.stringify(args)}\n`);
dialog.showErrorBox = (title) => void spy.unanswered.push(`showErrorBox ("${title}")`);

const defaults = { showMessageBox: { response: 0, checkboxChecked: false } };
for (const name of ['showOpenDialog', 'showSaveDialog', 'showMessageBox']) {
  dialog[name] = async (...args) => {
    const settings = args.at(-1) ?? {};
    if (spy.answers.length === 0) {
      spy.unanswered.push(`${name} ("${settings.title ?? settings.message ?? ''}")`);
      throw new Error(`dialog.${name} opened, but the test queued no answer for it.`);
    }
    const answer = spy.answers.shift();
    return { canceled: false, filePaths: [], filePath: '', ...defaults[name], ...answer };
  };
}
for (const name of ['openExternal', 'openPath']) {
  shell[name] = async (target) => {
    spy.opened.push(target);
    return '';
  };
}
shell.showItemInFolder = (target) => void spy.opened.push(target);

const shownNotifications = [];
Notification.prototype.show = function show() {
  spy.notifications.push({ title: this.title, body: this.body });
  shownNotifications.push(this);
};
spy.clickNotification = (title) =>
  shownNotifications.find((one) => one.title === title)?.emit('click', {});

const setContextMenu = Tray.prototype.setContextMenu;
Tray.prototype.setContextMenu = function keep(menu) {
  state.menu = menu;
  return setContextMenu.call(this, menu);
};
const destroy = Tray.prototype.destroy;
Tray.prototype.destroy = function forget() {
  state.menu = null;
  return destroy.call(this);
};
const shown = () => (state.menu?.items ?? []).filter((item) => item.visible);
spy.tray = () => shown().map(({ label, enabled, checked }) => ({ label, enabled, checked }));
spy.clickTray = (label) => {
  const item = shown().find((entry) => entry.label === label);
  if (item === undefined) throw new Error(`The tray's menu has no "${label}".`);
  item.click();
};
