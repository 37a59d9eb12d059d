/** `shell`: what the desktop would open is only recorded. */
import type { Shell } from 'electron';
import { strictModule } from './notOnHost.ts';
import { records, underTest, type Opened } from './records.ts';

function record(how: Opened['how'], target: string): void {
  records.opened.push({ how, target });
  if (!underTest()) console.log(`The host does not carry out shell.${how}: ${target}`);
}

/** The export `shell`. */
export const shell = strictModule('shell', {
  openExternal: async (url: string): Promise<void> => record('openExternal', url),
  openPath: async (path: string): Promise<string> => {
    record('openPath', path);
    return '';
  },
  showItemInFolder: (path: string): void => record('showItemInFolder', path),
} satisfies Partial<Shell>);
