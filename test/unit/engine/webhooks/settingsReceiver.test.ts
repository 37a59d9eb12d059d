/** The webhook receiver applies changes of the settings one after the other. */
import { expect, test } from 'vitest';
import { ok } from '../../../../main/engine/core/errors.ts';
import { createSettingsReceiver } from '../../../../main/engine/webhooks/receiverFromSettings.ts';
import {
  type EngineSettings,
  STANDARD_SETTINGS,
} from '../../../../main/engine/settings/engineSettings.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../helpers/testPipeline.ts';

function listening(port: number): EngineSettings {
  return { ...STANDARD_SETTINGS, webhook: { ...STANDARD_SETTINGS.webhook, enabled: true, port } };
}

test('quick changes leave one server, the last one', async () => {
  const { store, ports } = createTestPipeline(createTestLedger());
  const open = new Set<number>();
  const receiver = createSettingsReceiver(
    store,
    ports,
    () => undefined,
    async ({ port }) => {
      await Promise.resolve();
      open.add(port);
      const stop = async (): Promise<void> => {
        await Promise.resolve();
        open.delete(port);
      };
      return ok({ port, counts: () => ({ received: 0, duplicates: 0, refused: 0 }), stop });
    },
  );
  await Promise.all([1, 2, 3].map((port) => receiver.apply(listening(port))));
  expect([...open]).toEqual([3]);
  await Promise.all([receiver.apply(listening(4)), receiver.stop()]);
  expect([...open]).toEqual([]);
});
