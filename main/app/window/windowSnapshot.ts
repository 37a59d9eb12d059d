/** The window's own part of what it shows, and what is said once at the start. */
import type { AppSnapshot } from '../../../preload/contract/snapshot.ts';
import { plainHttpSentence } from '../../engine/core/plainHttp.ts';
import { openFolderSentence } from '../../engine/core/privateFiles.ts';
import { createExpiryTeller } from '../../engine/jobs/resultsExpiry.ts';
import type { AppContext } from '../appContext.ts';
import { tellFailure } from '../system/failures.ts';

/** What is there before there is a window. */
export type Shared = Omit<AppContext, 'window' | 'snapshot' | 'applySettings'>;

/** Makes the reading of the window's own part. */
export function ownPart(
  context: Shared,
): () => Pick<AppSnapshot, 'runtime' | 'notices' | 'settings'> {
  const { station, settingsFile, secrets, notices } = context;
  const tellExpiry = createExpiryTeller(station.store, station.ports.clock, notices.say);
  return () => {
    tellExpiry();
    tellOpenKeys(context);
    tellPlainHttp(context);
    const { theme, notifications, startAtLogin, closeToTray, keepAwake, pauseOnBattery } =
      settingsFile.read();
    return {
      runtime: {
        version: context.version,
        platform: process.platform,
        dataDirectory: station.dataDirectory,
        development: context.development,
        secretsProtected: secrets.protects(),
        tray: context.tray(),
      },
      notices: notices.all(),
      settings: {
        ...{ theme, notifications, startAtLogin, closeToTray, keepAwake, pauseOnBattery },
        ...station.settings(),
      },
    };
  };
}

/** Where there is no keychain, and as long as a key is kept. */
function tellOpenKeys({ notices, secrets, settingsFile }: Shared): void {
  const open = !secrets.protects() && Object.keys(settingsFile.read().keys).length > 0;
  notices.sayWhile(
    open,
    'basic_text',
    'This computer has no keychain, so Sluice keeps the key in a file that only your user can read.',
  );
}

/** While a key goes where anyone on the way can read it. */
function tellPlainHttp({ notices, station }: Shared): void {
  const addresses = station.connections().flatMap((one) => [one.apiUrl, one.projectsUrl]);
  const sentence = plainHttpSentence(addresses);
  notices.sayWhile(sentence !== null, 'plain-http', sentence ?? '');
}

/** Says what happened to the program, its ledger and its settings. */
export function sayAtStart(context: Shared): void {
  const { notices, station, settingsFile } = context;
  const { salvage } = station.engine;
  if (salvage !== null) {
    notices.say(
      'salvage',
      `The ledger was damaged. It is kept as ${salvage.setAside}; ${salvage.rowsSaved} rows were saved from it.`,
    );
  }
  notices.sayWhile(
    station.engine.folderIsOpen,
    'open-folder',
    openFolderSentence(station.dataDirectory),
  );
  if (settingsFile.restored === 'backup') {
    notices.say('settings', 'The settings of the window were damaged; the backup is used.');
  }
  if (settingsFile.restored === 'lost') {
    notices.say(
      'settings',
      'The settings of the window were damaged and begin anew. Give the key again.',
    );
  }
  tellFailure(settingsFile, notices.say);
}
