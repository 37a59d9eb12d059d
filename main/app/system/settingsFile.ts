/**
 * The window's own settings: bounds, preferences, and the encrypted keys. One file, written atomically, with a backup next to it; a
 * damaged file is replaced by the backup, and a notice at startup says so. Field names match existing files.
 */
import { copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Store from 'electron-store';
import { z } from 'zod';
import { preferencesSchema } from '../../../preload/contract/settings.ts';
import { createSerialQueue } from '../../engine/core/serialQueue.ts';
import { closeOwnFiles } from '../../engine/core/privateFiles.ts';

const { theme, notifications, startAtLogin, closeToTray, keepAwake, pauseOnBattery } =
  preferencesSchema().shape;

const schema = z.object({
  theme: theme.default('system'),
  notifications: notifications.default({ confirmed: true, jobs: true, problems: true }),
  startAtLogin: startAtLogin.default(false),
  closeToTray: closeToTray.default(true),
  keepAwake: keepAwake.default(true),
  pauseOnBattery: pauseOnBattery.default(false),
  place: z
    .object({
      x: z.number().int().optional(),
      y: z.number().int().optional(),
      width: z.number().int().min(320),
      height: z.number().int().min(240),
      maximized: z.boolean(),
    })
    // Wide enough for a list and its detail side by side; reduced on smaller screens.
    .default({ width: 1280, height: 820, maximized: false }),
  /** Persistent notices that were dismissed. */
  putAway: z.array(z.string().max(50)).max(50).default([]),
  /** Recent crashes (epoch ms), and whether the user was notified. */
  failures: z
    .object({ at: z.array(z.number()), told: z.boolean() })
    .default({ at: [], told: true }),
  /** Connection id to its encrypted key, in base64. */
  keys: z.record(z.string(), z.string()).default({}),
});

export type WindowSettings = Readonly<z.infer<typeof schema>>;

const NAME = 'window';

async function readJson(path: string): Promise<'none' | 'damaged' | 'good'> {
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch {
    return 'none';
  }
  try {
    return schema.safeParse(JSON.parse(content)).success ? 'good' : 'damaged';
  } catch {
    return 'damaged';
  }
}

/** Replaces a damaged file with the backup; the damaged one is kept next to it. */
async function restore(path: string, backup: string): Promise<'backup' | 'lost' | null> {
  const state = await readJson(path);
  const backupState = await readJson(backup);
  if (state === 'good' || (state === 'none' && backupState === 'none')) return null;
  if (state === 'damaged') await rename(path, `${path}.damaged`);
  if (backupState !== 'good') return 'lost';
  await copyFile(backup, path);
  return 'backup';
}

export async function openSettingsFile(directory: string) {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, `${NAME}.json`);
  const backup = join(directory, `${NAME}.backup.json`);
  closeOwnFiles(directory);
  const restored = await restore(path, backup);
  const store = new Store<Record<string, unknown>>({
    cwd: directory,
    name: NAME,
    configFileMode: 0o600,
  });
  let settings: WindowSettings = schema.parse(store.store);
  const inTurn = createSerialQueue();
  let writing = Promise.resolve();
  const writeBackup = async (): Promise<void> => {
    try {
      await writeFile(`${backup}.part`, JSON.stringify(settings), { mode: 0o600 });
      await rename(`${backup}.part`, backup);
    } catch {
      // The file itself was written; only the backup is missing.
    }
  };
  return {
    /** What was restored at startup. backup: the file was damaged; lost: so was the backup; null: nothing was damaged. */
    restored,
    read: () => settings,
    /** Writes a change, then the backup. */
    write: (change: Partial<WindowSettings>) => {
      settings = { ...settings, ...change };
      store.store = { ...settings };
      writing = inTurn(writeBackup);
    },
    /** Resolves when the backup is written. */
    settled: () => writing,
  };
}

export type SettingsFile = Awaited<ReturnType<typeof openSettingsFile>>;
