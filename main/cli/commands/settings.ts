/** `sluice settings`: the upload rate and order, and the webhook. Works while another process owns the ledger. */
import type { Result } from '../../../preload/contract/errors.ts';
import { LANES, MAX_PORT } from '../../../preload/contract/bounds.ts';
import { allOf, ok } from '../../engine/core/errors.ts';
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
import { type Arguments, choiceOf, readOption, wholeNumber } from '../terminal/args.ts';

function changed({ args }: CommandContext, from: EngineSettings): Result<EngineSettings> {
  const asBandwidth = (text: string): Result<string> => ok(text === 'off' ? '' : text);
  const read = allOf({
    bandwidth: readOption(args, 'bandwidth', asBandwidth, from.bandwidth),
    lanesMost: readOption(args, 'lanes', wholeNumber(LANES.min, LANES.max), from.lanesMost),
    order: readOption(args, 'order', choiceOf(ORDERS), from.order),
    webhook: readWebhook(args, from.webhook),
  });
  return read.ok ? ok({ ...from, ...read.value }) : read;
}

/** `--webhook off`, or a port together with where it listens and the address at which the service reaches it. */
function readWebhook(
  args: Arguments,
  from: EngineSettings['webhook'],
): Result<EngineSettings['webhook']> {
  const given = args.text('webhook');
  if (given === 'off') return ok({ ...from, enabled: false });
  const port = readOption(args, 'webhook', wholeNumber(0, MAX_PORT), from.port);
  if (!port.ok) return port;
  return ok({
    enabled: from.enabled || given !== null,
    port: port.value,
    bind: args.text('webhook-bind') ?? from.bind,
    publicUrl: args.text('webhook-url') ?? from.publicUrl,
  });
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
