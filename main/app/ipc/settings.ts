import { ok } from '../../engine/core/errors.ts';
import { writeEngineSettings } from '../../engine/settings/engineSettings.ts';
import type { AppContext } from '../appContext.ts';
import type { Handlers } from './ipcServer.ts';

export function settingsHandlers(context: AppContext) {
  const { host, settingsFile } = context;
  return {
    'settings.save': async (settings) => {
      const { lanesMost, bandwidth, order, settleMs, webhook, ...preferences } = settings;
      const engine = { lanesMost, bandwidth, order, settleMs, webhook };
      const written = writeEngineSettings(host.store, engine);
      if (!written.ok) return written;
      host.reload();
      settingsFile.write(preferences);
      await context.applySettings();
      return ok(null);
    },
    'webhook.test': async () => {
      await host.receiver.apply(host.settings());
      return ok(host.receiver.state());
    },
  } satisfies Partial<Handlers>;
}
