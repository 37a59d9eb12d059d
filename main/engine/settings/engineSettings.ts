/** Settings of the engine, kept in the ledger so that the window and the command line agree. */
import { z } from 'zod';
import type { Result } from '../../../preload/contract/errors.ts';
import { STANDARD_SETTLE_MS } from '../../../preload/contract/standardRule.ts';
import { fail, ok } from '../core/errors.ts';
import { LANES_MAX } from '../core/limits.ts';
import { isReadableOnTheWay } from '../core/plainHttp.ts';
import { capAt, localTimeOf, readTimetable } from '../pipeline/send/timetable.ts';
import { readNote, writeNote } from './keyValue.ts';
import type { Store } from '../store/store.ts';

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

/** Reads the address under which the service reaches the receiver; http only for this computer itself. Error: usage.invalid. */
export function readPublicUrl(text: string): Result<string> {
  const wrong = (said: string): Result<string> => fail('usage.invalid', { said });
  if (!URL.canParse(text)) return wrong('the public address of webhooks is not a web address');
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol)) return wrong('the public address must begin with https://');
  if (isReadableOnTheWay(text)) {
    return wrong('the public address must begin with https://: its path is a secret');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    return wrong('the public address takes no name, password, query or fragment');
  }
  return ok(`${url.origin}${url.pathname.replace(/\/+$/, '')}`);
}
