/** Sources of a transfer read from a disk in memory, checked as the port promises: the last chunk comes after the last check. */
import { sluiceError, SluiceFailure } from '../../main/engine/core/errors.ts';
import { bufferSource } from '../../main/engine/files/byteSource.ts';
import { hashKindOf } from '../../main/engine/core/ids.ts';
import { contentHash } from '../../main/engine/files/contentHash.ts';
import { largeFingerprint, smallFingerprint } from '../../main/engine/files/fingerprint.ts';
import { WHOLE_HASH_MAX_BYTES } from '../../main/engine/core/limits.ts';
import type { HashKind, SourceMember, SourceOutcome } from '../../main/engine/core/model.ts';
import type { Files } from '../../main/engine/core/ports.ts';
import type { FilesGround } from './memoryFiles.ts';

/** Chunks are small, so that a cut can fall anywhere. */
const CHUNK_BYTES = 700;

type ChangedCode = Extract<SourceOutcome, { kind: 'changed' }>['code'];

function fingerprintOf(bytes: Buffer, kind: HashKind): string | null {
  return bytes.length <= WHOLE_HASH_MAX_BYTES
    ? smallFingerprint(bytes.length, contentHash(bytes, kind))
    : largeFingerprint(bufferSource(bytes), kind);
}

/** The part of the Files port that opens sources. */
export function createMemorySources({
  disk,
  life,
  dice,
  trouble,
}: FilesGround): Pick<Files, 'openSources'> {
  const readMember = (member: SourceMember): Buffer | ChangedCode => {
    if (trouble.read(member.path) !== null) return 'item.unreadable';
    const node = disk.get(member.path);
    if (node === null) return 'item.gone';
    if (node.type !== 'file') return 'item.changed';
    const fingerprint = fingerprintOf(node.bytes, hashKindOf(member.fingerprint));
    return fingerprint === member.fingerprint ? node.bytes : 'item.changed';
  };
  return {
    openSources: (members, trailer, signal) => {
      let outcome: SourceOutcome = { kind: 'reading' };
      async function* chunks(): AsyncGenerator<Uint8Array> {
        signal.throwIfAborted();
        const hashes: string[] = [];
        let held: Buffer<ArrayBufferLike> = Buffer.alloc(0);
        for (const [index, member] of members.entries()) {
          await life.wait(dice.int(0, 10));
          signal.throwIfAborted();
          const bytes = readMember(member);
          if (typeof bytes === 'string') {
            outcome = { kind: 'changed', index, code: bytes };
            throw new SluiceFailure(sluiceError(bytes, { path: member.path }));
          }
          hashes.push(contentHash(bytes, hashKindOf(member.fingerprint)));
          held = Buffer.concat([held, member.prefix, bytes, member.suffix]);
          // One byte stays back: the last chunk must not be out before the last check.
          while (held.length > CHUNK_BYTES) {
            yield Uint8Array.from(held.subarray(0, CHUNK_BYTES));
            signal.throwIfAborted();
            held = held.subarray(CHUNK_BYTES);
          }
        }
        outcome = { kind: 'complete', hashes };
        yield Uint8Array.from(Buffer.concat([held, trailer]));
      }
      return { chunks: chunks(), outcome: () => outcome };
    },
  };
}
