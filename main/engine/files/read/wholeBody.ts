/** A body of one small file, read and verified at once: as a stream, it would take twice the processor time. */
import type { SourceMember, SourcePlan } from '../../core/model.ts';
import { createBodyChecksums, UNKNOWN_CHECKSUMS } from './bodyChecksums.ts';
import { bodyBytes, framing } from './bodyLayout.ts';
import { createMemories } from './memories.ts';
import { readSmallSync } from './readSmall.ts';
import { type ChangedCode, failedCode, fillSmall } from './smallFile.ts';

/** Longer bodies are streams, whose progress shows while they are sent. A stream's first slice has this length. Our choice. */
const MOST_BYTES = 64 * 1024;

/** The member of a body that can be read as a whole; null for any other body. */
export function wholeMember(plan: SourcePlan): SourceMember | null {
  const [member, ...others] = plan.members;
  const isOne = member !== undefined && others.length === 0 && plan.frame.kind !== 'archive';
  return isOne && bodyBytes(plan) <= MOST_BYTES ? member : null;
}

/**
 * Reads the body. `bytes`: null when the file has changed, and nothing may be sent. `checksums`: those of the file alone, as
 * SourceBody.checksums(). Call `release` when the bytes are no longer used. Never rejects for anything that files do.
 */
export async function readWholeBody(
  plan: SourcePlan,
  member: SourceMember,
  options: { readonly md5: boolean },
) {
  const length = bodyBytes(plan);
  const memories = createMemories();
  const memory = memories.turn(length + 1)();
  const release = (): void => memories.release();
  let code: ChangedCode = 'item.changed';
  const around = framing(plan, member);
  const hash = await fillSmall(member, around, memory, readSmallSync).catch((error: unknown) => {
    code = failedCode(error);
    return null;
  });
  if (hash === null) {
    const outcome = { kind: 'changed', index: 0, code } as const;
    return { bytes: null, outcome, checksums: UNKNOWN_CHECKSUMS, release };
  }
  const outcome = { kind: 'complete', hashes: [hash] } as const;
  const bytes = memory.subarray(0, length);
  const sums = createBodyChecksums(plan, options);
  sums.update(bytes);
  return { bytes, outcome, checksums: { ...sums.finish(), sha256: null }, release };
}
