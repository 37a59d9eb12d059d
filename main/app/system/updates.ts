/**
 * Updates of the installed application, from the address that it was packaged with; without one, it never checks for updates. A new
 * version is downloaded while nothing is being sent, and installed when the user quits, after the engine has stopped.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { drop } from '../../engine/core/errors.ts';
import type { AppContext } from '../appContext.ts';

export interface Updater {
  autoDownload: boolean;
  autoInstallOnAppQuit: boolean;
  allowDowngrade: boolean;
  /** Null when updates are not possible here. A staged release is offered to only some of the installations. */
  checkForUpdates(): Promise<{
    readonly isUpdateAvailable: boolean;
    readonly updateInfo: { readonly version: string };
  } | null>;
  downloadUpdate(): Promise<unknown>;
}

export interface UpdateDeps {
  readonly updater: Updater;
  /** False when a new version is only announced. */
  readonly canInstall: boolean;
  readonly isSending: () => boolean;
  readonly notice: AppContext['notices']['add'];
  readonly log: AppContext['log'];
}

/** How a check for updates ended. `later`: there is one, but files are being sent, or the address did not answer. */
export type LookEnd = 'none' | 'later' | 'announced' | 'ready';

const DAY_MS = 24 * 60 * 60_000;
const LATER_MS = 15 * 60_000;
const NOTICE = 'update';

/** Creates a check for updates, to be run repeatedly. Never throws: errors are logged. */
export function createUpdates({
  updater,
  canInstall,
  isSending,
  notice,
  log,
}: UpdateDeps): () => Promise<LookEnd> {
  let ready: string | null = null;
  updater.autoDownload = false;
  updater.autoInstallOnAppQuit = canInstall;
  updater.allowDowngrade = false;
  const look = async (): Promise<LookEnd> => {
    const found = await updater.checkForUpdates();
    if (found === null || !found.isUpdateAvailable) return 'none';
    const { version } = found.updateInfo;
    if (!canInstall) {
      notice(NOTICE, `Sluice ${version} is available. Install it from where you got this one.`);
      return 'announced';
    }
    if (version !== ready) {
      if (isSending()) return 'later';
      await updater.downloadUpdate();
      ready = version;
    }
    notice(NOTICE, `Sluice ${version} is installed when you quit. Your uploads then continue.`);
    return 'ready';
  };
  return async () => {
    try {
      return await look();
    } catch (thrown) {
      log('update.failed', { cause: thrown instanceof Error ? thrown.message : String(thrown) });
      return 'later';
    }
  };
}

/**
 * Whether a downloaded update can be verified before it is installed: macOS compares signatures by itself, on Windows the program does if
 * its own publisher is known, and an AppImage has no signature. `settings` is the text of app-update.yml. Pure.
 */
export function canInstallUpdates(platform: NodeJS.Platform, settings: string): boolean {
  return platform === 'darwin' || (platform === 'win32' && /^publisherName:/m.test(settings));
}

/** Checks for updates once a day, if this program was packaged with an update address. */
export async function watchForUpdates(context: AppContext): Promise<void> {
  if (context.development) return;
  const settings = await readFile(join(process.resourcesPath, 'app-update.yml'), 'utf8').catch(
    () => null,
  );
  if (settings === null) return;
  const { autoUpdater } = await import('electron-updater');
  // It would write to the console, which an installed program does not have.
  autoUpdater.logger = null;
  const { host, notices, log } = context;
  const look = createUpdates({
    updater: autoUpdater,
    canInstall: canInstallUpdates(process.platform, settings),
    isSending: () => host.busy() && !host.paused(),
    notice: notices.add,
    log,
  });
  const repeat = async (): Promise<void> => {
    const pauseMs = (await look()) === 'later' ? LATER_MS : DAY_MS;
    setTimeout(() => drop(repeat()), pauseMs).unref();
  };
  await repeat();
}
