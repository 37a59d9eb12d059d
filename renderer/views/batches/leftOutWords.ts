import type { ErrorCode } from '../../../preload/contract/errors.ts';
import { wordsOf } from '../../../preload/contract/messages.ts';
import type { LeftOutPage, LeftOutRow } from '../../../preload/contract/records.ts';
import { visible } from '../../../preload/contract/visibleText.ts';
import { formatCount } from '../../../preload/contract/figures.ts';

const KINDS: Readonly<Partial<Record<ErrorCode, string>>> = {
  'item.duplicate': 'Copies',
  'item.empty': 'Empty',
  'item.unsupported': 'Other types',
  'item.tooLarge': 'Too large',
  'item.excluded': 'By the rule',
  'item.temporary': 'Hidden or unfinished',
  'item.gone': 'Gone',
  'item.ignored': 'Ignored',
  'item.replaced': 'Replaced',
};

/** The filter choices of a list of left-out files: all of them, then each reason with its count. */
export function reasonChoices(
  reasons: LeftOutPage['reasons'],
): readonly { readonly value: ErrorCode | 'all'; readonly label: string }[] {
  const all = reasons.reduce((sum, { count }) => sum + count, 0);
  return [
    { value: 'all', label: `All · ${formatCount(all)}` },
    ...reasons.map(({ reason, count }) => ({
      value: reason,
      label: `${KINDS[reason] ?? wordsOf(reason).message} · ${formatCount(count)}`,
    })),
  ];
}

/** The name of a file with its parent directory: names alone repeat from camera to camera. */
function nearName(path: string): string {
  return path.split(/[\\/]/).slice(-2).join('/');
}

export function leftOutReason({
  reason,
  duplicateOf,
}: Pick<LeftOutRow, 'reason' | 'duplicateOf'>): string {
  if (reason === 'item.duplicate' && duplicateOf !== null) {
    const far = duplicateOf.state === 'confirmed' ? 'confirmed' : 'on its way';
    const where = duplicateOf.batchId === null ? '' : `, ${far} in ${duplicateOf.batchId}`;
    return `Same content as ${visible(nearName(duplicateOf.path))}${where}.`;
  }
  return reason === null ? 'Nothing to do.' : wordsOf(reason).message;
}

/** How to get it uploaded after all, as a sentence. */
export function leftOutAdvice(reason: ErrorCode | null): string {
  return reason === null ? '' : wordsOf(reason).hint;
}
