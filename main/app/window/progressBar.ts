/** Upload progress in the dock or the taskbar. */
import type { BrowserWindow } from 'electron';
import { doneFraction } from '../../../preload/contract/figures.ts';
import type { AppSnapshot } from '../../../preload/contract/snapshot.ts';
import { isCounting, openFiles } from '../../../preload/contract/toGo.ts';

type BarStatus = Pick<AppSnapshot, 'pipeline' | 'watches' | 'drops'>;

/** Electron removes the bar at a value below 0. */
const NO_BAR = -1;

/** Creates a function that shows the bar on a window, or hides it while nothing is uploaded or not everything is found. */
export function createProgressBar(): (window: BrowserWindow | null, status: BarStatus) => void {
  let shown: { readonly on: BrowserWindow | null; readonly value: number; readonly mode: string } =
    {
      on: null,
      value: NO_BAR,
      mode: 'normal',
    };
  return (window, status) => {
    if (window === null || window.isDestroyed()) return;
    const { paused, counts, bytes } = status.pipeline;
    const isOpen = openFiles(counts) > 0 && bytes.total > 0 && !isCounting(status);
    const value = isOpen ? Math.floor(doneFraction(bytes) * 100) / 100 : NO_BAR;
    const mode = paused ? 'paused' : 'normal';
    const before = shown.on === window ? shown.value : NO_BAR;
    if (value === before && (mode === shown.mode || value === NO_BAR)) return;
    shown = { on: window, value, mode };
    window.setProgressBar(value, { mode });
  };
}
