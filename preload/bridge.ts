/** The bridge: what the window may ask, and nothing else. Everything it hands on is checked by main. */
import { contextBridge, ipcRenderer, webUtils } from 'electron';
import type { Bridge } from './contract/requests.ts';

const bridge: Bridge = {
  request: async (name, input) => ipcRenderer.invoke('sluice:request', name, input),
  on: (name, listener) => {
    const channel = `sluice:push:${name}`;
    const heard = (_event: unknown, value: Parameters<typeof listener>[0]): void => listener(value);
    ipcRenderer.on(channel, heard);
    return () => void ipcRenderer.removeListener(channel, heard);
  },
  pathsOf: async (files) => {
    // The Chromium host answers with a promise.
    const told = await Promise.all(
      files.map(async (file) => Promise.resolve(webUtils.getPathForFile(file))),
    );
    const paths = told.filter((path) => path !== '');
    // A path may be uploaded only when a person dropped or chose it: main remembers which.
    await ipcRenderer.invoke('sluice:dropped', paths);
    return paths;
  },
};

contextBridge.exposeInMainWorld('sluice', bridge);
