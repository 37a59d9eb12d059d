/** Which members of a transfer have changed since it was planned. */
import { haveSameTimes } from '../../core/unchanged.ts';
import { missingDrive } from '../drives.ts';
import type { ChangedMember, TransferOutcome } from './transferOutcome.ts';
import type { Attempt } from './transferSettle.ts';

/**
 * Adds the other members that have changed. Every time a shard is planned again it needs a new address, so all changes are handled at once
 * rather than one by one. A file on a drive that is not connected, or does not answer, does not count as gone.
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
      return haveSameTimes(look.value, item) ? [] : [{ index, code: 'item.changed' }];
    if (look.ok) return [];
    if (look.error.code === 'disk.missing') return [{ index, code: 'item.unreadable' }];
    return look.error.code === 'item.gone' ? [{ index, code: 'item.gone' }] : [];
  });
  const all = [...members, ...others].map(async (member): Promise<ChangedMember> => {
    const item = items[member.index];
    const isGone = member.code === 'item.gone' && item !== undefined;
    const isUnplugged = isGone && (await missingDrive(pipeline, item.path, item.foundAt)) !== null;
    return isUnplugged ? { ...member, code: 'item.unreadable' } : member;
  });
  return { kind: 'changed', members: await Promise.all(all) };
}
