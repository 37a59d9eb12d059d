/** `sluice metrics`: the state of the ledger for a monitoring system. Needs no key, and works while another process owns the ledger. */
import { ok } from '../../engine/core/errors.ts';
import { metricsText } from '../../engine/status/metrics.ts';
import { metricsFacts } from '../run/metrics.ts';
import type { Action } from '../session/context.ts';
import { readLedger } from '../session/ledger.ts';

/** Prints the metrics as OpenMetrics text; with --json, as one event that contains the text. */
export const metrics: Action = async (context) => {
  const facts = await metricsFacts(context);
  return readLedger(context, (store) => {
    const page = metricsText(store, facts);
    if (context.output.options.json) context.output.result({ text: page }, []);
    else context.output.rows([page]);
    return ok(0);
  });
};
