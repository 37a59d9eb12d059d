/**
 * What is the window's own: its place, how it looks, what it tells, and the encrypted keys. One atomic file with a backup
 * beside it; a damaged file is replaced by the backup, and the start says so.
 */
import { copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Store from 'electron-store';
import { z } from 'zod';
import { closeOwnFiles } from '../../engine/core/privateFiles.ts';

const schema = z.object({
  theme: z.enum(['system', 'light', 'dark']).default('system'),
  notifications: z
    .object({ confirmed: z.boolean(), jobs: z.boolean(), problems: z.boolean() })
    .default({ confirmed: true, jobs: true, problems: true }),
  startAtLogin: z.boolean().default(false),
  closeToTray: z.boolean().default(true),
  keepAwake: z.boolean().default(true),
  pauseOnBattery: z.boolean().default(false),
  place: z
    .object({
      x: z.number().int().optional(),
      y: z.number().int().optional(),
      width: z.number().int().min(320),
      height: z.number().int().min(240),
      maximized: z.boolean(),
    })
    // Wide enough for a list and its detail side by side; made smaller where the screen is.
    .default({ width: 1280, height: 820, maximized: false }),
  /** Lasting notices that were put away. */
  putAway: z.array(z.string().max(50)).max(50).default([]),
  /** When the program failed by itself lately, and whether that was said. */
  failures: z
    .object({ at: z.array(z.number()), told: z.boolean() })
    .default({ at: [], told: true }),
  /** Connection to its encrypted key, base64. */
  keys: z.record(z.string(), z.string()).default({}),
});

/** The window's own settings. */
export type WindowSettings = Readonly<z.infer<typeof schema>>;

export interface SettingsFile {
  read(): WindowSettings;
  /** Writes what changed, and the backup after it. */
  write(change: Partial<WindowSettings>): void;
  /** backup: the file was damaged; lost: the backup, too; null: all is well. */
  readonly restored: 'backup' | 'lost' | null;
  /** Resolves when the backup is written. */
  settled(): Promise<void>;
}

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

/** Brings the file into a state that can be read. A damaged one is kept beside it. */
async function mend(path: string, backup: string): Promise<SettingsFile['restored']> {
  const state = await readJson(path);
  const spare = await readJson(backup);
  if (state === 'good' || (state === 'none' && spare === 'none')) return null;
  if (state === 'damaged') await rename(path, `${path}.damaged`);
  if (spare !== 'good') return 'lost';
  await copyFile(backup, path);
  return 'backup';
}

/** Opens the settings in a directory. */
export async function openSettingsFile(directory: string): Promise<SettingsFile> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, `${NAME}.json`);
  const backup = join(directory, `${NAME}.backup.json`);
  closeOwnFiles(directory);
  const restored = await mend(path, backup);
  const store = new Store<Record<string, unknown>>({
    cwd: directory,
    name: NAME,
    configFileMode: 0o600,
  });
  let settings = schema.parse(store.store);
  let writing = Promise.resolve();
  const keep = async (): Promise<void> => {
    try {
      await writeFile(`${backup}.part`, JSON.stringify(settings), { mode: 0o600 });
      await rename(`${backup}.part`, backup);
    } catch {
      // The file itself stands; only the spare is missing.
    }
  };
  return {
    restored,
    read: () => settings,
    write: (change) => {
      settings = { ...settings, ...change };
      store.store = { ...settings };
      writing = writing.then(keep);
    },
    settled: () => writing,
  };
}
