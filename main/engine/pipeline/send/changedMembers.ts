/** Which members of a transfer have changed since it was planned. */
import type { ChangedMember, TransferOutcome } from './transferOutcome.ts';
import type { Attempt } from './transferSettle.ts';

/**
 * Adds the other members that have changed: an archive that is planned anew without one of them gets a new address, which would be
 * wasted for each of the others.
 */
export async function withAllChanges(
  { pipeline, items }: Attempt,
  { members }: TransferOutcome & { kind: 'changed' },
): Promise<TransferOutcome & { kind: 'changed' }> {
  const looks =
    items.length < 2 ? [] : await pipeline.ports.files.stat(items.map(({ path }) => path));
  const others = looks.flatMap((look, index): readonly ChangedMember[] => {
    if (members.some((member) => member.index === index)) return [];
    if (look.ok)
      return look.value.stamp === items[index]?.stamp ? [] : [{ index, code: 'item.changed' }];
    return look.error.code === 'item.gone' ? [{ index, code: 'item.gone' }] : [];
  });
  return { kind: 'changed', members: [...members, ...others] };
}
