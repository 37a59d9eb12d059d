/** Settings of the engine, stored in the ledger so that the window and the command line share them. */
import {
  capAt,
  type EngineSettings,
  engineSettingsSchema,
  localTimeOf,
  readTimetable,
  SETTLE_MS,
} from '../core/contract.ts';
import { ok, type Result, usage } from '../core/errors.ts';
import { LANES_MAX } from '../core/limits.ts';
import { isReadableOnTheWay } from '../core/plainHttp.ts';
import { readValue, writeValue } from './keyValue.ts';
import type { Store } from '../store/store.ts';

export type { EngineSettings };

const KEY = 'engine';

/** The settings of a new ledger. */
export const STANDARD_SETTINGS: EngineSettings = {
  lanesMost: LANES_MAX,
  bandwidth: '',
  order: 'oldest',
  settleMs: SETTLE_MS.standard,
  webhook: { enabled: false, bind: '127.0.0.1', port: 0, publicUrl: '' },
};

export function readEngineSettings(store: Store): EngineSettings {
  return readValue(store, KEY, engineSettingsSchema) ?? STANDARD_SETTINGS;
}

/** Checks and stores settings. Error: usage.invalid with what is wrong. */
export function writeEngineSettings(store: Store, settings: EngineSettings): Result<void> {
  const timetable = readTimetable(settings.bandwidth);
  if (!timetable.ok) return usage(timetable.problem);
  const { publicUrl } = settings.webhook;
  // An address that was stored earlier stays until it is changed: the receiver reports what is wrong with it.
  const isKept = publicUrl === '' || publicUrl === readEngineSettings(store).webhook.publicUrl;
  const address = isKept ? ok('') : readPublicUrl(publicUrl);
  if (!address.ok) return address;
  store.transaction(() => writeValue(store, KEY, engineSettingsSchema().parse(settings)));
  return ok(undefined);
}

/** The limit of a timetable at a time, in bytes per second; null when there is none or the text is invalid. Pure. */
export function capOf(bandwidth: string, at: number): number | null {
  const timetable = readTimetable(bandwidth);
  return timetable.ok ? capAt(timetable.value, localTimeOf(at)) : null;
}

/** Reads the address at which the service reaches the receiver; http only on this computer. Error: usage.invalid. */
export function readPublicUrl(text: string): Result<string> {
  if (!URL.canParse(text)) return usage('the public address of webhooks is not a web address');
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol)) return usage('the public address must begin with https://');
  if (isReadableOnTheWay(text)) {
    return usage('the public address must begin with https://: its path is a secret');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    return usage('the public address takes no name, password, query or fragment');
  }
  return ok(`${url.origin}${url.pathname.replace(/\/+$/, '')}`);
}
