/** The window's own part of the snapshot, and the notices at startup. */
import { preferencesSchema } from '../../../preload/contract/settings.ts';
import type { AppSnapshot } from '../../../preload/contract/snapshot.ts';
import { plainHttpSentence } from '../../engine/core/plainHttp.ts';
import { openFolderSentence } from '../../engine/core/privateFiles.ts';
import { createExpiryReporter } from '../../engine/jobs/resultsExpiry.ts';
import type { AppContext } from '../appContext.ts';
import { noticeFailure } from '../system/failures.ts';

export type WindowDeps = Omit<AppContext, 'window' | 'snapshot' | 'applySettings'>;

/** Creates a reader of the window's own part; each call also updates the persistent notices. */
export function windowSnapshot(
  context: WindowDeps,
): () => Pick<AppSnapshot, 'runtime' | 'notices' | 'settings'> {
  const { host, settingsFile, secrets, notices } = context;
  const noticeExpiry = createExpiryReporter(host.store, host.ports.clock, notices.add);
  return () => {
    noticeExpiry();
    noticeUnprotectedKeys(context);
    noticePlainHttp(context);
    return {
      runtime: {
        version: context.version,
        platform: process.platform,
        dataDirectory: host.dataDirectory,
        development: context.development,
        secretsProtected: secrets.protects(),
        keysKept: areKeysKept(settingsFile),
        tray: context.tray(),
      },
      notices: notices.all(),
      settings: {
        ...preferencesSchema().parse(settingsFile.read()),
        ...host.settings(),
      },
    };
  };
}

function areKeysKept(settingsFile: WindowDeps['settingsFile']): boolean {
  return Object.keys(settingsFile.read().keys).length > 0;
}

/** Shown while a key is kept without a keychain. */
function noticeUnprotectedKeys({ notices, secrets, settingsFile }: WindowDeps): void {
  const areKeysOpen = !secrets.protects() && areKeysKept(settingsFile);
  notices.addWhile(
    areKeysOpen,
    'basic_text',
    'This computer has no keychain, so Sluice keeps the key in a file that only your user can read.',
  );
}

/** Shown while a key is sent unencrypted. */
function noticePlainHttp({ notices, host }: WindowDeps): void {
  const addresses = host.connections().flatMap((one) => [one.apiUrl, one.projectsUrl]);
  const sentence = plainHttpSentence(addresses);
  notices.addWhile(sentence !== null, 'plain-http', sentence ?? '');
}

/** Adds notices about a crash, a damaged ledger or damaged settings. */
export function addStartupNotices(context: WindowDeps): void {
  const { notices, host, settingsFile } = context;
  const { salvage } = host.engine;
  if (salvage !== null) {
    notices.add(
      'salvage',
      `The ledger was damaged. It is kept as ${salvage.setAside}; ${salvage.rowsSaved} rows were recovered.`,
    );
  }
  notices.addWhile(host.engine.folderIsOpen, 'open-folder', openFolderSentence(host.dataDirectory));
  if (settingsFile.restored === 'backup') {
    notices.add('settings', 'The window settings were damaged and were restored from the backup.');
  }
  if (settingsFile.restored === 'lost') {
    notices.add(
      'settings',
      'The window settings were damaged and have been reset. Enter the key again.',
    );
  }
  noticeFailure(settingsFile, notices.add);
}
