/** Starting at login: a login item, or a desktop file on Linux. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { app } from 'electron';
import type { Environment } from '../../engine/core/ports.ts';

export const HIDDEN = '--hidden';

function quoted(path: string): string {
  return `"${path.replace(/(["`$\\])/g, '\\$1').replaceAll('%', '%%')}"`;
}

export function desktopFile(program: string): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Sluice',
    'Comment=Uploads vision data',
    `Exec=${quoted(program)} ${HIDDEN}`,
    'Icon=sluice-desktop',
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
}

/** Turns starting at login on or off. Throws the system's error. */
export async function setAutoStart(wanted: boolean, environment: Environment): Promise<void> {
  if (process.platform !== 'linux') {
    app.setLoginItemSettings({ openAtLogin: wanted, args: [HIDDEN] });
    return;
  }
  const config = environment['XDG_CONFIG_HOME'] ?? join(app.getPath('home'), '.config');
  const path = join(config, 'autostart', 'sluice.desktop');
  if (!wanted) return rm(path, { force: true });
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, desktopFile(environment['APPIMAGE'] ?? app.getPath('exe')));
}
