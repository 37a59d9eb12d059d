/** Controls for tests in another process, offered only with --control: faults, settings, time, state and the request log. */
import { clockRequest, faultRequest, outageRequest, settingsRequest } from './controlRequests.ts';
import { receiveWhole, type Exchange } from './exchange.ts';
import type { Faults } from './faults.ts';
import type { Outages } from './outages.ts';
import type { RequestLog } from './requestLog.ts';
import { applySettings } from './settings.ts';
import type { State } from './state.ts';

const BODY_BYTES = 1024 * 1024;
export function createControl(parts: {
  readonly state: State;
  readonly faults: Faults;
  readonly outages: Outages;
  readonly log: RequestLog;
}): (exchange: Exchange) => Promise<void> {
  return async (exchange) => {
    try {
      const body = await receiveWhole(exchange, BODY_BYTES);
      const given: unknown =
        body === null || body.length === 0 ? undefined : JSON.parse(body.toString('utf8'));
      const answer = await run(parts, `${exchange.method} ${exchange.path}`, given);
      send(exchange, answer === undefined ? 404 : 200, answer ?? { error: 'Not found.' });
    } catch (problem) {
      send(exchange, 400, { error: problem instanceof Error ? problem.message : 'wrong' });
    }
  };
}

function send(exchange: Exchange, status: number, body: unknown): void {
  exchange.response.writeHead(status, { 'content-type': 'application/json' });
  exchange.response.end(JSON.stringify(body));
}

async function run(
  { state, faults, outages, log }: Parameters<typeof createControl>[0],
  what: string,
  given: unknown,
): Promise<unknown> {
  switch (what) {
    case 'POST /__control/faults': {
      const wanted = faultRequest.parse(given);
      const path = new RegExp(wanted.path);
      if (wanted.times === undefined) faults.always(wanted.method, path, wanted.fault);
      else faults.next(wanted.method, path, wanted.fault, wanted.times);
      return { rules: faults.rules.length };
    }
    case 'DELETE /__control/faults':
      faults.clear();
      return { rules: 0 };
    case 'POST /__control/outages': {
      const { method, path, forMs, answer } = outageRequest.parse(given);
      const match = {
        ...(method === undefined ? {} : { method }),
        ...(path === undefined ? {} : { path: new RegExp(path) }),
      };
      await outages.begin({ match, answer, ...(forMs === undefined ? {} : { forMs }) });
      return {};
    }
    case 'DELETE /__control/outages':
      await outages.endAll();
      return {};
    case 'POST /__control/settings':
      return applySettings(state.settings, settingsRequest.parse(given));
    case 'POST /__control/clock':
      await state.clock.advance(clockRequest.parse(given).advanceMs);
      return { now: state.clock.now() };
    case 'GET /__control/state':
      return readable(state);
    case 'GET /__control/requests':
      return { requests: log.requests.map((entry) => ({ ...entry, query: `${entry.query}` })) };
    case 'DELETE /__control/requests':
      log.clear();
      return { requests: [] };
    default:
      return undefined;
  }
}

function readable(state: State): Readonly<Record<string, unknown>> {
  return {
    workspace: state.workspace,
    now: state.clock.now(),
    settings: state.settings,
    batches: [...state.batches.keys()].flatMap((batchId) => state.batch(batchId) ?? []),
    expired: state.expired,
    uploads: [...state.uploads.values()].map(({ batch, shard, object, ...rest }) => ({
      ...rest,
      batchId: batch.batchId,
      shardId: shard?.shardId ?? null,
      objectId: object?.objectId ?? null,
    })),
    jobs: [...state.jobs.values()],
    projects: state.projects,
    doubles: state.doubles(),
    replaced: state.replaced,
    dropped: state.dropped,
    webhooks: state.webhooks,
    violations: state.violations,
  };
}
