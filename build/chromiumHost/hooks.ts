/** Makes `import 'electron'` and `require('electron')` return the stand-in. */
import { registerHooks } from 'node:module';
import { ELECTRON_NAMES } from './electronNames.ts';

const SPECIFIERS = new Set(['electron', 'electron/main', 'electron/common']);
const ADDRESS = 'sluice-host:electron';
const PLACE = 'sluice.chromiumHost.electron';

/** Installs the stand-in for everything imported from now on. */
export function installElectron(standIn: Readonly<Record<string, unknown>>): void {
  Reflect.set(globalThis, Symbol.for(PLACE), standIn);
  const source = moduleSource();
  registerHooks({
    resolve(specifier, context, next) {
      if (!SPECIFIERS.has(specifier)) return next(specifier, context);
      return { url: ADDRESS, format: 'module', shortCircuit: true };
    },
    load(url, context, next) {
      if (url !== ADDRESS) return next(url, context);
      return { format: 'module', source, shortCircuit: true };
    },
  });
}

/** Static exports, because a missing one must fail when the application is linked, as on Electron. */
function moduleSource(): string {
  const names = ELECTRON_NAMES.map((name) => `export const ${name} = electron.${name};`);
  const electron = `const electron = globalThis[Symbol.for(${JSON.stringify(PLACE)})];`;
  return [electron, ...names, 'export default electron;'].join('\n');
}
