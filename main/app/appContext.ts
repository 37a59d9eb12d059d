import type { EngineHost } from '../engine/host/host.ts';
import type { AppSnapshot } from '../../preload/contract/snapshot.ts';
import type { AllowedPaths } from './ipc/allowedPaths.ts';
import type { AppWindow } from './window/window.ts';
import type { Notices } from './window/notices.ts';
import type { Secrets } from './system/secrets.ts';
import type { SettingsFile } from './system/settingsFile.ts';

/** Writes an event to the log; the log redacts. */
export type Log = (event: string, facts: Readonly<Record<string, string>>) => void;

export interface AppContext {
  readonly log: Log;
  readonly host: EngineHost;
  readonly settingsFile: SettingsFile;
  readonly secrets: Secrets;
  readonly notices: Notices;
  readonly allowed: AllowedPaths;
  readonly window: AppWindow;
  /** True for a program started from a checkout. */
  readonly development: boolean;
  readonly version: string;
  /** The log file in the data directory. */
  readonly logPath: string;
  /** True while there is a tray. */
  tray(): boolean;
  snapshot(): AppSnapshot;
  /** Applies changed preferences: theme, start at login. */
  applySettings(): Promise<void>;
}
