/** `sluice settings`, `sluice pause` and `sluice resume`: how fast, in which order, and whether at all. */
import type { Result } from '../../../preload/errorCodes.ts';
import { ok } from '../../engine/errors.ts';
import { isPaused, pauseAll, pauseOneBatch } from '../../engine/lineWishes.ts';
import { openBeside } from '../../engine/besideLedger.ts';
import {
  type EngineSettings,
  readEngineSettings,
  writeEngineSettings,
} from '../../engine/stationSettings.ts';
import { usage, wholeNumber } from '../terminal/args.ts';
import type { Command, CommandContext } from '../session/context.ts';
import { withLedgerBeside } from '../session/ledgerBeside.ts';

function changed(context: CommandContext, from: EngineSettings): Result<EngineSettings> {
  const { args } = context;
  let settings = from;
  const bandwidth = args.text('bandwidth');
  if (bandwidth !== null)
    settings = { ...settings, bandwidth: bandwidth === 'off' ? '' : bandwidth };
  const lanes = args.text('lanes');
  if (lanes !== null) {
    const most = wholeNumber(lanes, '--lanes', 1);
    if (!most.ok) return most;
    if (most.value > 64) return usage('--lanes is at most 64');
    settings = { ...settings, lanesMost: most.value };
  }
  const order = args.text('order');
  if (order !== null) {
    if (order !== 'oldest' && order !== 'newest' && order !== 'smallest') {
      return usage('--order is oldest, newest or smallest');
    }
    settings = { ...settings, order };
  }
  return withWebhook(context, settings);
}

/** `--webhook off`, or a port with where it listens and the address at which the service reaches it. */
function withWebhook(context: CommandContext, from: EngineSettings): Result<EngineSettings> {
  const { args } = context;
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

export const settings: Command = {
  usage:
    'sluice settings [--bandwidth 2M|"08:00,2M 18:00,off"|off] [--lanes N] [--order oldest|newest|smallest] [--webhook PORT|off] [--webhook-bind ADDRESS] [--webhook-url URL]',
  about:
    'shows or changes how fast and in which order files go; a running Sluice follows within seconds',
  options: {
    bandwidth: 'text',
    lanes: 'text',
    order: 'text',
    webhook: 'text',
    'webhook-bind': 'text',
    'webhook-url': 'text',
  },
  run: async (context) => {
    await Promise.resolve();
    const store = openBeside(context.dataDirectory);
    try {
      const wanted = changed(context, readEngineSettings(store));
      if (!wanted.ok) return wanted;
      const written = writeEngineSettings(store, wanted.value);
      if (!written.ok) return written;
      const paused = isPaused(store);
      context.output.result({ ...wanted.value, paused }, describe(wanted.value, paused));
      return ok(0);
    } finally {
      store.close();
    }
  },
};

function pausing(paused: boolean): Command {
  const word = paused ? 'pause' : 'resume';
  return {
    usage: `sluice ${word} [--batch ID]`,
    about: paused
      ? 'starts nothing new, of everything or of one batch; what runs ends in peace'
      : 'goes on with everything, or with one batch',
    options: { batch: 'text' },
    run: async (context) => {
      const batchId = context.args.text('batch');
      const said = `${batchId ?? 'Everything'} is ${paused ? 'paused' : 'going on'}.`;
      if (batchId === null) {
        const store = openBeside(context.dataDirectory);
        pauseAll(store, paused);
        store.close();
        context.output.result({ paused }, [said]);
        return ok(0);
      }
      return withLedgerBeside(context, async ({ store, connectionId }) => {
        await Promise.resolve();
        const done = pauseOneBatch(store, connectionId, batchId, paused);
        if (!done.ok) return done;
        context.output.result({ batch: batchId, paused }, [said]);
        return ok(0);
      });
    },
  };
}

export const pause = pausing(true);
export const resume = pausing(false);
