/** The bodies of requests under /__control/. */
import { z } from 'zod';

const headers = z.record(z.string(), z.string());
const count = z.number().nonnegative();

const code = z.number().int().min(200).max(599);

const status = z.strictObject({
  kind: z.literal('status'),
  status: code,
  body: z.union([z.string(), z.record(z.string(), z.unknown())]).exactOptional(),
  headers: headers.exactOptional(),
  retryAfter: z.union([z.number(), z.string()]).exactOptional(),
});

const html = z.strictObject({
  kind: z.literal('html'),
  status: code,
  location: z.string().exactOptional(),
  acted: z.boolean().exactOptional(),
});

const hang = z.strictObject({ kind: z.literal('hang'), acted: z.boolean().exactOptional() });

const fault = z.discriminatedUnion('kind', [
  status,
  z.strictObject({ kind: z.literal('delay'), ms: count }),
  hang,
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
  html,
  z.strictObject({
    kind: z.literal('acknowledgedAndDropped'),
    keptInStorage: z.boolean().exactOptional(),
  }),
  z.strictObject({ kind: z.literal('damagesBody') }),
  z.strictObject({
    kind: z.literal('drips'),
    bytesPerSecond: z.number().positive().exactOptional(),
  }),
  z.strictObject({
    kind: z.literal('endlessPaging'),
    pages: z.enum(['same', 'empty']).exactOptional(),
  }),
]);

/** Body of POST /__control/faults. */
export const faultRequest = z.strictObject({
  method: z.string().default('*'),
  /** Source of a regular expression. */
  path: z.string().default(''),
  fault,
  /** Always if omitted. */
  times: z.number().int().positive().optional(),
});

/** Body of POST /__control/outages. `refused` needs a duration, because no request could reach the service to end it. */
export const outageRequest = z
  .strictObject({
    method: z.string().optional(),
    /** Source of a regular expression. */
    path: z.string().optional(),
    /** Until DELETE /__control/outages if omitted. */
    forMs: count.optional(),
    answer: z.discriminatedUnion('kind', [
      status,
      html,
      hang,
      z.strictObject({ kind: z.literal('reset') }),
      z.strictObject({ kind: z.literal('refused') }),
    ]),
  })
  .refine(({ answer, forMs }) => answer.kind !== 'refused' || forMs !== undefined);

/** Body of POST /__control/settings. */
export const settingsRequest = z.record(z.string(), z.union([z.number(), z.string(), z.boolean()]));

/** Body of POST /__control/clock. */
export const clockRequest = z.strictObject({ advanceMs: count });
