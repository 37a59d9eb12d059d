/** The window with a fake main: `gallery.html?scenario=busy&theme=dark#/uploads`. */
import { fakeBridge } from './fakeBridge.ts';
import { isScenario } from './scenario.ts';

const query = new URLSearchParams(location.search);
const scenario = query.get('scenario') ?? 'busy';
const theme = query.get('theme');
Object.defineProperty(window, 'sluice', {
  value: fakeBridge(
    isScenario(scenario) ? scenario : 'busy',
    theme === 'dark' || theme === 'light' ? theme : 'system',
  ),
});
await import('../../../renderer/main.ts');
