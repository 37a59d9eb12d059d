/** Which form of the project paths the service uses: learned only from reads, and remembered. */
import { ok, type Result } from '../../core/errors.ts';
import { isNotOffered } from './caller.ts';
import type { Dialect, Learned } from '../serviceClient.ts';

/**
 * Reads in the known dialect, or else in the specification's and then the live one. The dialect is remembered only after a
 * success that parsed; null when neither offers what was requested.
 */
export async function readInDialect<T>(
  memory: Learned<Dialect>,
  read: (dialect: Dialect) => Promise<Result<T>>,
): Promise<Result<T | null>> {
  const known = memory.read();
  const candidates: readonly Dialect[] = known === null ? ['spec', 'live'] : [known];
  for (const dialect of candidates) {
    const result = await read(dialect);
    if (result.ok) {
      if (known === null) memory.write(dialect);
      return result;
    }
    if (!isNotOffered(result.error)) return result;
  }
  return ok(null);
}

/**
 * The dialect for a write, which must never be used to find it out: an unknown dialect is probed with these reads, in order,
 * until one shows it. A service whose reads show neither is addressed as the specification says.
 */
export async function dialectForWrite(
  memory: Learned<Dialect>,
  reads: readonly (() => Promise<Result<unknown>>)[],
): Promise<Result<Dialect>> {
  for (const read of reads) {
    if (memory.read() !== null) break;
    const asked = await read();
    if (!asked.ok) return asked;
  }
  return ok(memory.read() ?? 'spec');
}
