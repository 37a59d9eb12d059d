/** Runs before the window and is its fake main: `gallery.html?scenario=busy#/uploads`. */
import { fakeBridge } from './fakeBridge.ts';
import { isScenario } from './scenario.ts';

const scenario = new URLSearchParams(location.search).get('scenario') ?? 'busy';
Object.defineProperty(window, 'sluice', {
  value: fakeBridge(isScenario(scenario) ? scenario : 'busy'),
});
