/** Requests about settings and webhooks. */
import { ok } from '../../engine/core/errors.ts';
import { writeEngineSettings } from '../../engine/settings/engineSettings.ts';
import type { AppContext } from '../appContext.ts';
import type { Handlers } from './requestTypes.ts';

type Family = Pick<Handlers, 'settings.save' | 'webhook.test'>;

/** Handlers of settings. */
export function settingsHandlers(context: AppContext): Family {
  const { station, settingsFile } = context;
  return {
    'settings.save': async (settings) => {
      const { lanesMost, bandwidth, order, settleMs, webhook, ...own } = settings;
      const engine = { lanesMost, bandwidth, order, settleMs, webhook };
      const written = writeEngineSettings(station.store, engine);
      if (!written.ok) return written;
      station.reload();
      settingsFile.write(own);
      await context.applySettings();
      return ok(null);
    },
    'webhook.test': async () => {
      await station.receiver.apply(station.settings());
      return ok(station.receiver.said());
    },
  };
}
