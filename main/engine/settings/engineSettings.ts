/** Settings of the engine, kept in the ledger so that the window and the command line agree. */
import { z } from 'zod';
import type { Result } from '../../../preload/contract/errors.ts';
import { STANDARD_SETTLE_MS } from '../../../preload/contract/standardRule.ts';
import { ok } from '../core/errors.ts';
import { LANES_MAX } from '../core/limits.ts';
import { capAt, localTimeOf, readTimetable } from '../pipeline/send/timetable.ts';
import { readNote, writeNote } from './keyValue.ts';
import type { Store } from '../store/store.ts';
import { readPublicUrl } from '../webhooks/receiver.ts';

const schema = z.object({
  lanesMost: z.number().int().min(1).max(64),
  bandwidth: z.string().max(500),
  order: z.enum(['oldest', 'newest', 'smallest']),
  /** How long a file must be at rest in watches that are added from now on, ms. */
  settleMs: z.number().int().min(1000).max(300_000),
  webhook: z.object({
    enabled: z.boolean(),
    bind: z.string().max(100),
    port: z.number().int().min(0).max(65_535),
    publicUrl: z.string().max(500),
  }),
});

/** What the engine is told about how to work. */
export type EngineSettings = Readonly<z.infer<typeof schema>>;

const KEY = 'engine';

/** What holds until somebody says otherwise. */
export const STANDARD_SETTINGS: EngineSettings = {
  lanesMost: LANES_MAX,
  bandwidth: '',
  order: 'oldest',
  settleMs: STANDARD_SETTLE_MS,
  webhook: { enabled: false, bind: '127.0.0.1', port: 0, publicUrl: '' },
};

/** The settings as they are kept. */
export function readEngineSettings(store: Store): EngineSettings {
  return readNote(store, KEY, schema) ?? STANDARD_SETTINGS;
}

/** Checks and keeps settings. Error: usage.invalid with what is wrong. */
export function writeEngineSettings(store: Store, settings: EngineSettings): Result<void> {
  const timetable = settings.bandwidth.trim() === '' ? ok([]) : readTimetable(settings.bandwidth);
  if (!timetable.ok) return timetable;
  const { publicUrl } = settings.webhook;
  // One that was kept before stays until it is changed: the receiver says what is wrong with it.
  const isKept = publicUrl === '' || publicUrl === readEngineSettings(store).webhook.publicUrl;
  const address = isKept ? ok('') : readPublicUrl(publicUrl);
  if (!address.ok) return address;
  store.transaction(() => writeNote(store, KEY, schema.parse(settings)));
  return ok(undefined);
}

/** The bound that a timetable sets at an instant, bytes per second; null: none, or none that can be read. Pure. */
export function capOf(bandwidth: string, at: number): number | null {
  if (bandwidth.trim() === '') return null;
  const timetable = readTimetable(bandwidth);
  return timetable.ok ? capAt(timetable.value, localTimeOf(at)) : null;
}
