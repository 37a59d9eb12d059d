import { preferencesSchema } from '../../../preload/contract/settings.ts';
import { ok } from '../../engine/core/errors.ts';
import { writeEngineSettings } from '../../engine/settings/engineSettings.ts';
import type { AppContext } from '../appContext.ts';
import type { Handlers } from './ipcServer.ts';

export function settingsHandlers(context: AppContext) {
  const { host, settingsFile } = context;
  return {
    'settings.save': async (settings) => {
      const written = writeEngineSettings(host.store, settings);
      if (!written.ok) return written;
      host.reload();
      settingsFile.write(preferencesSchema().parse(settings));
      await context.applySettings();
      return ok(null);
    },
    'webhook.test': async () => {
      await host.receiver.apply(host.settings());
      return ok(host.receiver.state());
    },
  } satisfies Partial<Handlers>;
}
