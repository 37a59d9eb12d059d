'use strict';
// The bridge of the fixture application; what it learns about its own world is shown to the tests.
const { contextBridge, ipcRenderer } = require('electron');

globalThis.onlyForPreload = 'secret';

function refused(name) {
  try {
    require(name);
    return 'loaded';
  } catch (error) {
    return error.message;
  }
}

contextBridge.exposeInMainWorld('fixture', {
  facts: {
    fs: refused('fs'),
    node: refused('node:child_process'),
    sandboxed: process.sandboxed,
    exit: typeof process.exit,
    main: typeof globalThis.ofThePage,
    list: [1, { two: 2 }],
  },
  invoke: (channel, ...args) => ipcRenderer.invoke(channel, ...args),
  add: (a, b) => a + b,
  refuse: () => {
    throw new TypeError('refused here');
  },
  tick: (count) => ipcRenderer.send('tick', count),
  onTock: (listener) => {
    const heard = (_event, value) => listener(value);
    ipcRenderer.on('tock', heard);
    return () => ipcRenderer.removeListener('tock', heard);
  },
});
