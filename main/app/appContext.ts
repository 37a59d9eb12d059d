/** What the parts of the application share. */
import type { Station } from '../engine/host/host.ts';
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
  readonly station: Station;
  readonly settingsFile: SettingsFile;
  readonly secrets: Secrets;
  readonly notices: Notices;
  readonly allowed: AllowedPaths;
  readonly window: AppWindow;
  /** True for a program that was not packaged. */
  readonly development: boolean;
  readonly version: string;
  /** The log of the data directory. */
  readonly logPath: string;
  /** True while there is a tray. */
  tray(): boolean;
  /** The state as it is now. */
  snapshot(): AppSnapshot;
  /** Settings of the window were changed: theme, login start, tray. */
  applySettings(): Promise<void>;
}
