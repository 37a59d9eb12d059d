/** The webhook receiver that follows the settings: started, changed and stopped with them. Hints go to every connection. */
import { z } from 'zod';
import type { Hint } from '../core/hints.ts';
import type { ListeningServer } from '../core/listening.ts';
import type { Ports } from '../core/ports.ts';
import { createSerialQueue } from '../core/serialQueue.ts';
import { readValue, writeValue } from '../settings/keyValue.ts';
import { type EngineSettings, readPublicUrl } from '../settings/engineSettings.ts';
import type { Store } from '../store/store.ts';
import {
  newSecretPath,
  notificationFor,
  notificationsUrl,
  startWebhookReceiver,
} from './receiver.ts';

/** Whether webhooks can arrive, as a sentence for the user. */
type ReceiverState = ReturnType<typeof listening>;

const OFF: ReceiverState = { ok: false, message: 'Webhooks are switched off.' };
const SECRET = 'webhook.secret';

function secretOf(store: Store, ports: Ports): string {
  const kept = readValue(store, SECRET, () => z.string().min(32));
  if (kept !== null) return kept;
  const made = newSecretPath(ports.random);
  writeValue(store, SECRET, made);
  return made;
}

/** The state of a listening receiver; it says so if the service does not get a public address. */
function listening({ bind, publicUrl }: EngineSettings['webhook'], port: number) {
  const message = `Webhooks are received at ${bind}, port ${port}.`;
  const address = publicUrl === '' ? null : readPublicUrl(publicUrl);
  if (address === null || address.ok) return { ok: true, message };
  return {
    ok: false,
    message: `${message} The service does not get the address: ${String(address.error.context['said'])}.`,
  };
}

/** Creates a receiver that does not listen yet. `start` opens the server. */
export function createSettingsReceiver(
  store: Store,
  ports: Ports,
  onHint: (hint: Hint) => void,
  start: typeof startWebhookReceiver = startWebhookReceiver,
) {
  let running: ListeningServer | null = null;
  let applied = '';
  /** The public address; null while nothing can arrive there. */
  let address: string | null = null;
  let state: ReceiverState = OFF;
  const close = async (): Promise<void> => {
    await running?.stop();
    running = null;
    address = null;
  };
  const change = async ({ webhook }: EngineSettings): Promise<void> => {
    const wanted = JSON.stringify(webhook);
    if (wanted === applied) return;
    applied = wanted;
    await close();
    state = OFF;
    if (!webhook.enabled) return;
    const secretPath = secretOf(store, ports);
    const { bind: bindAddress, port } = webhook;
    const started = await start({ bindAddress, port, secretPath, onHint });
    if (!started.ok) {
      const said = String(started.error.context['said'] ?? 'the port is not free');
      state = { ok: false, message: `Webhooks are not received: ${said}.` };
      return;
    }
    running = started.value;
    state = listening(webhook, running.port);
    const read = readPublicUrl(webhook.publicUrl);
    address = read.ok ? read.value : null;
  };
  // One after the other: two quick changes would start two servers, and only one would ever be stopped.
  const inTurn = createSerialQueue();
  return {
    /** Makes the receiver match the settings. Safe to call repeatedly. */
    apply: (settings: EngineSettings) => inTurn(() => change(settings)),
    /** The address given to jobs; null when it cannot be reached. */
    url: () => (address === null ? null : notificationsUrl(address, secretOf(store, ports))),
    /** The shard member that contains the address; null when it cannot be reached. */
    notification: () =>
      address === null
        ? null
        : notificationFor(address, secretOf(store, ports), ports.random.token(16)),
    /** Whether and how it listens, or why not; for people. */
    state: (): ReceiverState => state,
    stop: () => inTurn(close),
  };
}

export type SettingsReceiver = ReturnType<typeof createSettingsReceiver>;
