/** Controls for tests in another process, offered only with --control: faults, settings, time, state and the request log. */
import { z } from 'zod';
import { receiveWhole, type Exchange } from './exchange.ts';
import type { Faults } from './faults.ts';
import type { RequestLog } from './requestLog.ts';
import type { State } from './state.ts';

const BODY_BYTES = 1024 * 1024;
const headers = z.record(z.string(), z.string());
const count = z.number().nonnegative();

const fault = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('status'),
    status: z.number().int().min(200).max(599),
    body: z.union([z.string(), z.record(z.string(), z.unknown())]).exactOptional(),
    headers: headers.exactOptional(),
    retryAfter: z.union([z.number(), z.string()]).exactOptional(),
  }),
  z.strictObject({ kind: z.literal('delay'), ms: count }),
  z.strictObject({ kind: z.literal('hang'), acted: z.boolean().exactOptional() }),
  z.strictObject({ kind: z.literal('cutWhileReceiving'), afterBytes: count }),
  z.strictObject({ kind: z.literal('cutWhileAnswering'), afterBytes: count }),
  z.strictObject({ kind: z.literal('doneButAnswerLost') }),
  z.strictObject({ kind: z.literal('lateCommit'), afterMs: count }),
  z.strictObject({ kind: z.literal('expiredUrl') }),
  z.strictObject({
    kind: z.literal('wrongJson'),
    text: z.string(),
    status: z.number().int().exactOptional(),
    contentType: z.string().exactOptional(),
    acted: z.boolean().exactOptional(),
  }),
  z.strictObject({ kind: z.literal('slow'), bytesPerSecond: z.number().positive() }),
]);

const faultRequest = z.strictObject({
  method: z.string().default('*'),
  /** Source of a regular expression. */
  path: z.string().default(''),
  fault,
  /** Left out: always. */
  times: z.number().int().positive().optional(),
});

const settingsRequest = z.record(z.string(), z.union([z.number(), z.string()]));
const clockRequest = z.strictObject({ advanceMs: count });

/** Makes the function that answers requests below /__control/. */
export function createControl(parts: {
  readonly state: State;
  readonly faults: Faults;
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
  { state, faults, log }: Parameters<typeof createControl>[0],
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
    case 'POST /__control/settings':
      return applySettings(state, settingsRequest.parse(given));
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

function applySettings(
  state: State,
  wanted: Readonly<Record<string, number | string>>,
): Readonly<Record<string, unknown>> {
  for (const [name, value] of Object.entries(wanted)) {
    const known: unknown = Reflect.get(state.settings, name);
    if (typeof known !== typeof value) throw new Error(`no setting ${name} of this type`);
    Reflect.set(state.settings, name, value);
  }
  return { ...state.settings };
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
    webhooks: state.webhooks,
    violations: state.violations,
  };
}
