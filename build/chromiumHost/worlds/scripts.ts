/** Builds the source text that runs in a page before the page's own scripts. */
import { startBridge } from './bridge.ts';
import { decodeValue, encodeValue } from './codec.ts';
import { startPageWorld } from './pageWorld.ts';
import { startPreloadWorld, type PreloadSetup } from './preloadWorld.ts';
import { watchPage } from './watchPage.ts';

/** The script of the page's own world. */
export function pageWorldScript(token: string): string {
  return inside([startBridge, startPageWorld], `startPageWorld(${JSON.stringify(token)});`);
}

/** The script of the preload's isolated world, with the preload itself inside. */
export function preloadWorldScript(setup: PreloadSetup, preload: string | null): string {
  const code = [encodeValue, decodeValue, startBridge, watchPage];
  // Only `process` and `require` are in the preload's scope: no Node, as in Electron's sandbox.
  const run =
    preload === null ? 'null' : `function (require, module, exports, process) {\n${preload}\n}`;
  return inside(
    [...code, startPreloadWorld],
    `startPreloadWorld(${JSON.stringify(setup)}, ${run});`,
  );
}

function inside(functions: readonly ((...args: never[]) => unknown)[], call: string): string {
  // Node has already stripped the types from these functions; what is left is plain JavaScript.
  return `(() => {\n${functions.map((fn) => fn.toString()).join('\n')}\n${call}\n})();`;
}
