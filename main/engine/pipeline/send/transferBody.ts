/** The body of a transfer, made from its manifest: the same bytes for every try, as long as the files are the same. */
import { createHash } from 'node:crypto';
import type { ComputedChecksums } from '../../core/model.ts';
import { multipartFrame } from '../../files/archive/multipartFrame.ts';
import { sluiceError, SluiceFailure } from '../../core/errors.ts';
import { type TarEntry, tarMembers } from '../../files/archive/tarStream.ts';
import { crc32c } from '../../core/crc32c.ts';
import { modifiedAt } from '../../core/ids.ts';
import type { SourceMember, SourceOutcome } from '../../core/model.ts';
import type { StreamBody } from '../../core/ports.ts';
import type { Item } from '../../store/tables/items.ts';
import type { Transfer } from '../../store/tables/transfers.ts';
import type { Pipeline } from '../context.ts';

export interface TransferBody {
  readonly body: StreamBody;
  readonly contentType: string;
  /** How the reading of the sources ended. */
  outcome(): SourceOutcome;
  /** Checksums of everything that was handed out; complete once the outcome is. */
  checksums(): ComputedChecksums;
}

/** Long enough never to stand in an image by chance. */
const BOUNDARY_LENGTH = 32;
const NOTHING = new Uint8Array(0);

interface Layout {
  readonly members: readonly SourceMember[];
  readonly trailer: Uint8Array;
  readonly contentType: string;
}

/** An item as a member; a planned item without a name or a fingerprint is a bug. */
function entryOf(item: Item): TarEntry {
  const { id, name, path, sizeBytes, stamp, fingerprint } = item;
  if (name === null || fingerprint === null) {
    throw new SluiceFailure(sluiceError('bug.unexpected', { item: id }));
  }
  return { name, path, sizeBytes, mtimeMs: modifiedAt(stamp), fingerprint };
}

function layoutOf(transfer: Transfer, items: readonly Item[], boundary: string): Layout {
  const entries = items.map(entryOf);
  if (transfer.kind === 'shard') {
    const extra =
      transfer.notification === null
        ? []
        : [{ name: 'notification_config.json', bytes: Buffer.from(transfer.notification) }];
    const { members, trailer } = tarMembers(entries, extra);
    return { members, trailer, contentType: 'application/x-tar' };
  }
  const framed = entries.map((entry) => {
    const frame =
      transfer.kind === 'image'
        ? multipartFrame(entry.name, boundary)
        : { prefix: NOTHING, suffix: NOTHING, contentType: 'application/octet-stream' };
    return { ...entry, ...frame };
  });
  return {
    members: framed,
    trailer: NOTHING,
    contentType: framed[0]?.contentType ?? 'application/octet-stream',
  };
}

/**
 * Opens the sources of a transfer as one body with a declared length. Each call is one try.
 * @param purpose `check`: it is only read, so nothing of it counts as sent, and it keeps to no rate
 */
export function openBody(
  pipeline: Pipeline,
  transfer: Transfer,
  items: readonly Item[],
  signal: AbortSignal,
  purpose: 'send' | 'check' = 'send',
): TransferBody {
  const { members, trailer, contentType } = layoutOf(
    transfer,
    items,
    pipeline.ports.random.token(BOUNDARY_LENGTH),
  );
  const lengthBytes = members.reduce(
    (sum, member) => sum + member.prefix.length + member.sizeBytes + member.suffix.length,
    trailer.length,
  );
  const source = pipeline.ports.files.openSources(members, trailer, signal);
  const md5 =
    pipeline.storage.statesOnlyMd5 && transfer.kind !== 'image' ? createHash('md5') : null;
  let sent = 0;
  let crc = 0;
  const isSent = purpose === 'send';
  async function* counted(): AsyncGenerator<Uint8Array> {
    const paced = isSent ? pipeline.paceUp?.(source.chunks, signal) : undefined;
    for await (const chunk of paced ?? source.chunks) {
      sent += chunk.length;
      crc = crc32c(chunk, crc);
      md5?.update(chunk);
      if (isSent) pipeline.sentBytes(chunk.length, { id: transfer.id, bytes: sent });
      yield chunk;
    }
  }
  return {
    body: { lengthBytes, chunks: counted },
    contentType,
    outcome: () => source.outcome(),
    checksums: () => ({
      crc32c: crc.toString(16).padStart(8, '0'),
      md5: md5?.copy().digest('hex') ?? null,
      sha256: null,
      lengthBytes: sent,
    }),
  };
}
