/** Builds the body of a transfer from its manifest: every try sends the same bytes, as long as the files are unchanged. */
import { multipartFrame } from '../../files/archive/multipartFrame.ts';
import { sluiceError, SluiceFailure } from '../../core/errors.ts';
import { modifiedAt } from '../../core/ids.ts';
import type { SourceMember, SourcePlan } from '../../core/model.ts';
import type { SourceBody } from '../../core/ports.ts';
import type { Item } from '../../store/tables/items.ts';
import type { Transfer } from '../../store/tables/transfers.ts';
import type { Pipeline } from '../context.ts';

export interface TransferBody {
  readonly body: SourceBody;
  readonly plan: SourcePlan;
  readonly contentType: string;
}

/** Long enough not to occur in an image by chance. */
const BOUNDARY_LENGTH = 32;

/** Converts an item to a member; a planned item without a name or a fingerprint is a bug. */
function memberOf(item: Item): SourceMember {
  const { id, name, path, sizeBytes, stamp, fingerprint } = item;
  if (name === null || fingerprint === null) {
    throw new SluiceFailure(sluiceError('bug.unexpected', { item: id }));
  }
  return { name, path, sizeBytes, mtimeMs: modifiedAt(stamp), fingerprint };
}

function planOf(
  transfer: Transfer,
  items: readonly Item[],
  boundary: () => string,
): Omit<TransferBody, 'body'> {
  const members = items.map(memberOf);
  if (transfer.kind === 'shard') {
    const { notification } = transfer;
    const extra =
      notification === null
        ? []
        : [{ name: 'notification_config.json', bytes: new TextEncoder().encode(notification) }];
    return {
      plan: { members, frame: { kind: 'archive', extra } },
      contentType: 'application/x-tar',
    };
  }
  if (transfer.kind === 'video') {
    return { plan: { members, frame: { kind: 'bare' } }, contentType: 'application/octet-stream' };
  }
  const { contentType, ...frame } = multipartFrame(members[0]?.name ?? '', boundary());
  return { plan: { members, frame: { kind: 'form', ...frame } }, contentType };
}

/** Opens the sources of a transfer as one body with a declared length. Each call is one try. */
export function openBody(
  pipeline: Pipeline,
  transfer: Transfer,
  items: readonly Item[],
  signal: AbortSignal,
): TransferBody {
  const { ports, storage } = pipeline;
  const boundary = (): string => ports.random.token(BOUNDARY_LENGTH);
  const { plan, contentType } = planOf(transfer, items, boundary);
  let sent = 0;
  const options = {
    throttle: pipeline.throttle,
    withMd5: transfer.kind === 'image' ? storage.statesImageMd5 : storage.statesOnlyMd5,
    onSent: (bytes: number): void => {
      sent += bytes;
      pipeline.sentBytes(bytes, { id: transfer.id, bytes: sent });
    },
  };
  return { body: ports.files.openSources(plan, options, signal), plan, contentType };
}
