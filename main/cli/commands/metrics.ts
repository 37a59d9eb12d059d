/** `sluice metrics`: the state of the ledger for a monitoring system. Needs no key, and runs beside the owner of the ledger. */
import { ok } from '../../engine/core/errors.ts';
import { openReader } from '../../engine/queries/reading.ts';
import { metricsText } from '../../engine/status/metrics.ts';
import { metricsFacts } from '../run/metrics.ts';
import type { Action } from '../session/context.ts';

/** Prints the metrics as OpenMetrics text; with --json as one event that holds the text. */
export const metrics: Action = async (context) => {
  const facts = await metricsFacts(context);
  const reader = openReader(context.dataDirectory);
  if (!reader.ok) return reader;
  try {
    const page = metricsText(reader.value, facts);
    if (context.output.options.json) context.output.result({ text: page }, []);
    else context.output.rows([page]);
    return ok(0);
  } finally {
    reader.value?.close();
  }
};
