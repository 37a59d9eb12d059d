/** Transfer sources read from a disk in memory, checked as the port promises: the last chunk comes after the last check. */
import { sluiceError, SluiceFailure } from '../../main/engine/core/errors.ts';
import { bufferSource } from '../../main/engine/files/byteSource.ts';
import { hashKindOf } from '../../main/engine/core/ids.ts';
import { contentHash } from '../../main/engine/files/contentHash.ts';
import { largeFingerprint, smallFingerprint } from '../../main/engine/files/fingerprint.ts';
import { WHOLE_HASH_MAX_BYTES } from '../../main/engine/core/limits.ts';
import type {
  ComputedChecksums,
  HashKind,
  SourceMember,
  SourceOutcome,
} from '../../main/engine/core/model.ts';
import { paced, UNLIMITED } from '../../main/engine/core/paced.ts';
import { createBodyChecksums } from '../../main/engine/files/read/bodyChecksums.ts';
import { bodyBytes, framing, trailerOf } from '../../main/engine/files/read/bodyLayout.ts';
import type { Files } from '../../main/engine/core/ports.ts';
import type { FilesGround } from './filesGround.ts';

/** Chunks are small, so that a cut can fall anywhere. */
const CHUNK_BYTES = 700;

type ChangedCode = Extract<SourceOutcome, { kind: 'changed' }>['code'];

function fingerprintOf(bytes: Buffer, kind: HashKind): string | null {
  return bytes.length <= WHOLE_HASH_MAX_BYTES
    ? smallFingerprint(bytes.length, contentHash(bytes, kind))
    : largeFingerprint(bufferSource(bytes), kind);
}

export function createMemorySources({
  disk,
  life,
  dice,
  trouble,
}: FilesGround): Pick<Files, 'openSources' | 'sumSources'> {
  const readMember = (member: SourceMember): Buffer | ChangedCode => {
    if (trouble.read(member.path) !== null) return 'item.unreadable';
    const node = disk.get(member.path);
    if (node === null) return 'item.gone';
    if (node.type !== 'file') return 'item.changed';
    const fingerprint = fingerprintOf(node.bytes, hashKindOf(member.fingerprint));
    return fingerprint === member.fingerprint ? node.bytes : 'item.changed';
  };
  const openSources: Files['openSources'] = (plan, { throttle, withMd5, onSent }, signal) => {
    let outcome: SourceOutcome = { kind: 'reading' };
    let sums: ComputedChecksums = { crc32c: null, md5: null, sha256: null, lengthBytes: null };
    async function* pieces(): AsyncGenerator<Uint8Array, void, void> {
      const hashes: string[] = [];
      let held: Buffer<ArrayBufferLike> = Buffer.alloc(0);
      for (const [index, member] of plan.members.entries()) {
        await life.wait(dice.int(0, 10));
        signal.throwIfAborted();
        const bytes = readMember(member);
        if (typeof bytes === 'string') {
          outcome = { kind: 'changed', index, code: bytes };
          throw new SluiceFailure(sluiceError(bytes, { path: member.path }));
        }
        hashes.push(contentHash(bytes, hashKindOf(member.fingerprint)));
        const { prefix, suffix } = framing(plan, member);
        held = Buffer.concat([held, prefix, bytes, suffix]);
        // Hold back at least one byte: the last chunk must not leave before the last check.
        while (held.length > CHUNK_BYTES) {
          yield Uint8Array.from(held.subarray(0, CHUNK_BYTES));
          signal.throwIfAborted();
          held = held.subarray(CHUNK_BYTES);
        }
      }
      outcome = { kind: 'complete', hashes };
      yield Uint8Array.from(Buffer.concat([held, trailerOf(plan)]));
    }
    async function* chunks(): AsyncGenerator<Uint8Array, void, void> {
      signal.throwIfAborted();
      const computed = createBodyChecksums(plan, { md5: withMd5 });
      const source = pieces();
      for await (const piece of throttle.isBound() ? paced(throttle, source, signal) : source) {
        computed.update(piece);
        onSent(piece.length);
        yield piece;
      }
      sums = { ...computed.finish(), sha256: null };
    }
    const lengthBytes = bodyBytes(plan);
    return { lengthBytes, chunks, outcome: () => outcome, checksums: () => sums };
  };
  return {
    openSources,
    sumSources: async (plan, signal) => {
      const options = { throttle: UNLIMITED, withMd5: true, onSent: () => undefined };
      const body = openSources(plan, options, signal);
      try {
        for await (const piece of body.chunks()) void piece;
        return body.checksums();
      } catch {
        return null;
      }
    },
  };
}
