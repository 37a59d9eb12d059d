/** What surrounds each file of a body, according to the frame of its plan. Pure. */
import { assertNever } from '../../core/errors.ts';
import type { SourceMember, SourcePlan } from '../../core/model.ts';
import { paddingBytes, tarBytes, tarHeader, tarTrailer } from '../archive/tarStream.ts';

const NOTHING = new Uint8Array(0);
/** The longest padding of a member. */
const ZEROS = new Uint8Array(512);

export function bodyBytes({ members, frame }: SourcePlan): number {
  if (frame.kind === 'archive') return tarBytes(members, frame.extra);
  const around = frame.kind === 'form' ? frame.prefix.length + frame.suffix.length : 0;
  return members.reduce((sum, { sizeBytes }) => sum + around + sizeBytes, 0);
}

/** Bytes before and after a member's content. */
export interface Framing {
  readonly prefix: Uint8Array;
  readonly suffix: Uint8Array;
}

export function framing({ frame }: SourcePlan, member: SourceMember): Framing {
  switch (frame.kind) {
    case 'archive':
      return {
        prefix: tarHeader(member),
        suffix: ZEROS.subarray(0, paddingBytes(member.sizeBytes)),
      };
    case 'form':
      return frame;
    case 'bare':
      return { prefix: NOTHING, suffix: NOTHING };
    default:
      return assertNever(frame);
  }
}

/** Bytes after the last member. */
export function trailerOf({ frame }: SourcePlan): Uint8Array {
  return frame.kind === 'archive' ? tarTrailer(frame.extra) : NOTHING;
}
