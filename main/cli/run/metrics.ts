/** What the command line adds to the metrics of a ledger, and the page that `watch --metrics` serves. */
import { stat } from 'node:fs/promises';
import type { Result } from '../../../preload/contract/errors.ts';
import { MAX_PORT } from '../../../preload/contract/bounds.ts';
import { ledgerPath } from '../../engine/core/dataDirectory.ts';
import { ok } from '../../engine/core/errors.ts';
import type { ListeningServer } from '../../engine/core/listening.ts';
import { currentOwner, type Store } from '../../engine/queries/overview.ts';
import { type MetricsFacts, metricsText } from '../../engine/status/metrics.ts';
import { startMetricsServer } from '../../engine/status/metricsServer.ts';
import type { CommandContext } from '../session/context.ts';
import { usage } from '../terminal/args.ts';
import { readVersion } from '../version.ts';

/** What is known in addition to the ledger. */
export async function metricsFacts(context: CommandContext): Promise<MetricsFacts> {
  const { dataDirectory } = context;
  const { clock, files } = await context.ports();
  const path = ledgerPath(dataDirectory);
  const size = async (file: string): Promise<number | null> =>
    (await stat(file).catch(() => null))?.size ?? null;
  const [ledger, journal] = await Promise.all([size(path), size(`${path}-wal`)]);
  return {
    version: readVersion(),
    now: clock.now(),
    running: currentOwner(dataDirectory) !== null,
    freeBytes: await files.freeBytes(dataDirectory),
    ledgerBytes: ledger === null ? null : ledger + (journal ?? 0),
  };
}

/** Reads `PORT` or `ADDRESS:PORT`. Error: usage.invalid. */
function readMetricsAddress(value: string): Result<{ address: string; port: number }> {
  const match = /^(?:(?<address>\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z.-]+):)?(?<port>\d{1,5})$/.exec(value);
  const port = Number(match?.groups?.['port'] ?? Number.NaN);
  if (!(port >= 0 && port <= MAX_PORT)) return usage('--metrics is PORT or ADDRESS:PORT');
  const address = (match?.groups?.['address'] ?? '127.0.0.1').replace(/^\[|\]$/g, '');
  return ok({ address, port });
}

/** Serves the metrics of a ledger while its watches run; null without --metrics. Errors: usage.invalid, net.offline. */
export async function serveMetrics(
  context: CommandContext,
  store: Store,
  sentBytes: () => number,
): Promise<Result<ListeningServer | null>> {
  const asked = context.args.text('metrics');
  if (asked === null) return ok(null);
  const at = readMetricsAddress(asked);
  if (!at.ok) return at;
  const { address, port } = at.value;
  const started = await startMetricsServer(address, port, async () => {
    const facts = await metricsFacts(context);
    return metricsText(store, { ...facts, sentBytes: sentBytes() });
  });
  if (!started.ok) return started;
  const shown = address.includes(':') ? `[${address}]` : address;
  context.output.say(`Metrics: http://${shown}:${started.value.port}/metrics`);
  return started;
}
