/** The bridge: the only things the window can call. Main checks everything it receives from here. */
import { contextBridge, ipcRenderer, webUtils } from 'electron';
import type { Bridge } from './contract/requests.ts';

const bridge: Bridge = {
  request: async (name, input) => ipcRenderer.invoke('sluice:request', name, input),
  on: (name, listener) => {
    const channel = `sluice:push:${name}`;
    const onMessage = (_event: unknown, value: Parameters<typeof listener>[0]): void =>
      listener(value);
    ipcRenderer.on(channel, onMessage);
    return () => void ipcRenderer.removeListener(channel, onMessage);
  },
  pathsOf: async (files) => {
    // A promise on the Chromium host.
    const all = await Promise.all(
      files.map(async (file) => Promise.resolve(webUtils.getPathForFile(file))),
    );
    const paths = all.filter((path) => path !== '');
    // Only paths that the user dropped or chose may be uploaded: main remembers them.
    await ipcRenderer.invoke('sluice:dropped', paths);
    return paths;
  },
};

contextBridge.exposeInMainWorld('sluice', bridge);
