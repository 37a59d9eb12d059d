/** The building blocks of the contract's requests. */
import { z } from 'zod';
import { BATCH_ID } from './idPatterns.ts';

/** A request: its input, which main checks, and its output. */
interface Request<Shape extends z.ZodRawShape, Output> {
  readonly input: ReturnType<typeof z.strictObject<Shape>>;
  /** Only a type: main's own answers are not checked at run time. */
  readonly output: Output | undefined;
}

/** A request with these fields; `returns` states its output. */
export function request<Shape extends z.ZodRawShape>(
  shape: Shape,
): { returns<Output>(): Request<Shape, Output> } {
  return { returns: () => ({ input: z.strictObject(shape), output: undefined }) };
}

/** A job id, including jobs that another program started. */
export const jobId = z.string().regex(BATCH_ID);
/** A path on this computer; main checks which paths may be used. */
export const path = z.string().min(1).max(4096);
export const search = z.string().max(200);
export const page = {
  offset: z.number().int().min(0).max(100_000_000),
  limit: z.number().int().min(1).max(200),
};
/** A page of a list that can be searched and sorted. */
export function listPage<const Sort extends string>(sorts: readonly Sort[]) {
  return { ...page, search, sort: z.enum(sorts).optional(), descending: z.boolean().optional() };
}
/** The id of a ledger row. */
export const rowId = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);
