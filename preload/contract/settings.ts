/** The settings: the engine's, stored in the ledger, and the window's preferences, which the window stores itself. */
import { z } from 'zod';
import { LANES, MAX_PORT, SETTLE_MS } from './bounds.ts';
import { once } from './once.ts';

const webhookSchema = once(() =>
  z.object({
    enabled: z.boolean(),
    /** The address to listen on. */
    bind: z.string().max(100),
    /** 0: any free port. */
    port: z.number().int().min(0).max(MAX_PORT),
    /** The address at which the service reaches the receiver; '' for none. */
    publicUrl: z.string().max(500),
  }),
);

/** What the ledger stores; window and command line can both change it. */
export const engineSettingsSchema = once(() =>
  z.object({
    /** The maximum number of simultaneous transfers. */
    lanesMost: z.number().int().min(LANES.min).max(LANES.max),
    /** The timetable as written; '' for no cap. */
    bandwidth: z.string().max(500),
    order: z.enum(['oldest', 'newest', 'smallest']),
    /** How long a file must be unchanged, in ms, for watches added from now on. */
    settleMs: z.number().int().min(SETTLE_MS.min).max(SETTLE_MS.max),
    webhook: webhookSchema(),
  }),
);
export type EngineSettings = Readonly<z.infer<ReturnType<typeof engineSettingsSchema>>>;

/** What only the window uses. */
export const preferencesSchema = once(() =>
  z.object({
    theme: z.enum(['system', 'light', 'dark']),
    notifications: z.object({
      confirmed: z.boolean(),
      jobs: z.boolean(),
      problems: z.boolean(),
    }),
    startAtLogin: z.boolean(),
    closeToTray: z.boolean(),
    keepAwake: z.boolean(),
    /** No new transfers start while the computer runs on battery. */
    pauseOnBattery: z.boolean(),
  }),
);
type Preferences = Readonly<z.infer<ReturnType<typeof preferencesSchema>>>;

/** Everything that the Settings view shows. */
export type Settings = Preferences & EngineSettings;

/** Settings as the window sends them: no unknown fields, and a valid public address. */
export const settingsFields = once(() => ({
  ...preferencesSchema().shape,
  notifications: preferencesSchema().shape.notifications.strict(),
  ...engineSettingsSchema().shape,
  webhook: webhookSchema()
    .strict()
    .extend({
      publicUrl: z.union([z.literal(''), z.url({ protocol: /^https?$/ }).max(500)]),
    }),
}));
