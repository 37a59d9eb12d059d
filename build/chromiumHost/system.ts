/** The small modules: screen and clipboard. */
import type { Rectangle } from './browserWindow.ts';
import { HostEmitter, strictModule } from './notOnHost.ts';

const BOUNDS: Rectangle = { x: 0, y: 0, width: 1920, height: 1080 };
const DISPLAY = {
  id: 1,
  label: 'Chromium host',
  bounds: BOUNDS,
  workArea: BOUNDS,
  size: { width: BOUNDS.width, height: BOUNDS.height },
};

class Screen extends HostEmitter {
  getPrimaryDisplay = (): typeof DISPLAY => DISPLAY;
  getAllDisplays = (): (typeof DISPLAY)[] => [DISPLAY];
}

/** The export `screen`: one display of a fixed size. */
export const screen = new Screen();

/** The export `clipboard`: nothing reaches the desktop's, so that tests do not disturb it. */
export const clipboard = strictModule('clipboard', {
  writeText: async (_text: string): Promise<void> => undefined,
});
