/** `sluice settings`: the upload rate and order, and the webhook. Works while another process owns the ledger. */
import type { Result } from '../../../preload/contract/errors.ts';
import { ok } from '../../engine/core/errors.ts';
import { isPaused } from '../../engine/runner/liveSettings.ts';
import {
  type EngineSettings,
  readEngineSettings,
  STANDARD_SETTINGS,
  writeEngineSettings,
} from '../../engine/settings/engineSettings.ts';
import type { Action, CommandContext } from '../session/context.ts';
import { readLedger, writeLedger } from '../session/ledger.ts';
import { ORDERS, settings as page } from '../options/thisComputer.ts';
import {
  readChoice,
  usage,
  wholeNumber,
  readOption,
  positiveNumber,
  type Arguments,
} from '../terminal/args.ts';

function changed({ args }: CommandContext, from: EngineSettings): Result<EngineSettings> {
  const lanes = readOption(args, 'lanes', positiveNumber);
  if (!lanes.ok) return lanes;
  if (lanes.value !== null && lanes.value > 64) return usage('--lanes is at most 64');
  const order = readChoice(args, 'order', ORDERS);
  if (!order.ok) return order;
  const bandwidth = args.text('bandwidth') ?? from.bandwidth;
  return withWebhook(args, {
    ...from,
    bandwidth: bandwidth === 'off' ? '' : bandwidth,
    lanesMost: lanes.value ?? from.lanesMost,
    order: order.value ?? from.order,
  });
}

/** `--webhook off`, or a port together with where it listens and the address at which the service reaches it. */
function withWebhook(args: Arguments, from: EngineSettings): Result<EngineSettings> {
  const given = args.text('webhook');
  if (given === 'off') return ok({ ...from, webhook: { ...from.webhook, enabled: false } });
  let { webhook } = from;
  if (given !== null) {
    const port = wholeNumber(given, '--webhook', 0);
    if (!port.ok) return port;
    if (port.value > 65_535) return usage('--webhook is a port, or off');
    webhook = { ...webhook, enabled: true, port: port.value };
  }
  const bind = args.text('webhook-bind') ?? webhook.bind;
  const publicUrl = args.text('webhook-url') ?? webhook.publicUrl;
  return ok({ ...from, webhook: { ...webhook, bind, publicUrl } });
}

function describeWebhook({ webhook }: EngineSettings): string {
  if (!webhook.enabled) return 'off';
  const reached = webhook.publicUrl === '' ? 'no public address yet' : webhook.publicUrl;
  return `port ${webhook.port} on ${webhook.bind}, ${reached}`;
}

function describe(settings: EngineSettings, paused: boolean): readonly string[] {
  return [
    `bandwidth  ${settings.bandwidth === '' ? 'off' : settings.bandwidth}`,
    `lanes      at most ${settings.lanesMost}`,
    `order      ${settings.order} first`,
    `webhook    ${describeWebhook(settings)}`,
    `paused     ${paused ? 'yes' : 'no'}`,
  ];
}

function show({ output }: CommandContext, shown: EngineSettings, paused: boolean): Result<number> {
  return output.result({ ...shown, paused }, describe(shown, paused));
}

export const settings: Action = (context) => {
  const isChange = Object.keys(page.options ?? {}).some((name) => context.args.text(name) !== null);
  if (!isChange) {
    return readLedger(context, (store) =>
      store === null
        ? show(context, STANDARD_SETTINGS, false)
        : show(context, readEngineSettings(store), isPaused(store)),
    );
  }
  return writeLedger(context, (store) => {
    const wanted = changed(context, readEngineSettings(store));
    if (!wanted.ok) return wanted;
    const written = writeEngineSettings(store, wanted.value);
    return written.ok ? show(context, wanted.value, isPaused(store)) : written;
  });
};
