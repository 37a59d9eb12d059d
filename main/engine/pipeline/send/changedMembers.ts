/** Which members of a transfer have changed since it was planned. */
import { modifiedAt } from '../../core/ids.ts';
import type { FileFacts } from '../../core/model.ts';
import { missingDrive } from '../drives.ts';
import type { Item } from '../../store/tables/items.ts';
import type { ChangedMember, TransferOutcome } from './transferOutcome.ts';
import type { Attempt } from './transferSettle.ts';

/** Its other times and its place on the disk say nothing about the content. */
function isSame(now: FileFacts, planned: Item): boolean {
  return now.sizeBytes === planned.sizeBytes && modifiedAt(now.stamp) === modifiedAt(planned.stamp);
}

/**
 * Adds the other members that have changed: an archive that is planned again without one of them gets a new address, which would be
 * wasted for each of the others. A file on a drive that is not connected, or does not answer, is not gone.
 */
export async function withAllChanges(
  { pipeline, items }: Attempt,
  { members }: TransferOutcome & { kind: 'changed' },
): Promise<TransferOutcome & { kind: 'changed' }> {
  const looks =
    items.length < 2 ? [] : await pipeline.ports.files.stat(items.map(({ path }) => path));
  const others = looks.flatMap((look, index): readonly ChangedMember[] => {
    if (members.some((member) => member.index === index)) return [];
    const item = items[index];
    if (look.ok && item !== undefined)
      return isSame(look.value, item) ? [] : [{ index, code: 'item.changed' }];
    if (look.ok) return [];
    if (look.error.code === 'disk.missing') return [{ index, code: 'item.unreadable' }];
    return look.error.code === 'item.gone' ? [{ index, code: 'item.gone' }] : [];
  });
  const all = [...members, ...others].map(async (member): Promise<ChangedMember> => {
    const path = items[member.index]?.path;
    const isGone = member.code === 'item.gone' && path !== undefined;
    const isUnplugged = isGone && (await missingDrive(pipeline, path)) !== null;
    return isUnplugged ? { ...member, code: 'item.unreadable' } : member;
  });
  return { kind: 'changed', members: await Promise.all(all) };
}
