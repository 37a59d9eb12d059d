import type { ErrorCode } from '../../../preload/contract/errors.ts';
import { wordsOf } from '../../../preload/contract/messages.ts';
import type { ItemRow, LeftOutPage, LeftOutRow } from '../../../preload/contract/records.ts';
import { visible } from '../../../preload/contract/visibleText.ts';
import { formatCount } from '../../../preload/contract/figures.ts';

const KINDS: Readonly<Partial<Record<ErrorCode, string>>> = {
  'item.duplicate': 'Copies',
  'item.empty': 'Empty',
  'item.unsupported': 'Other types',
  'item.tooLarge': 'Too large',
  'item.excluded': 'Excluded or stopped',
  'item.stopped': 'Stopped',
  'item.temporary': 'Hidden or unfinished',
  'item.gone': 'Gone',
  'item.ignored': 'Ignored',
  'item.replaced': 'Replaced',
};

/** The filter choices of a list of left-out files: all of them, then each reason with its count; the chosen one stays. */
export function reasonChoices(
  reasons: LeftOutPage['reasons'],
  chosen: ErrorCode | 'all' = 'all',
): readonly { readonly value: ErrorCode | 'all'; readonly label: string }[] {
  const all = reasons.reduce((sum, { count }) => sum + count, 0);
  const isThere = chosen === 'all' || reasons.some(({ reason }) => reason === chosen);
  const gone = isThere ? [] : [{ reason: chosen, count: 0 }];
  return [
    { value: 'all', label: `All · ${formatCount(all)}` },
    ...[...reasons, ...gone].map(({ reason, count }) => ({
      value: reason,
      label: `${KINDS[reason] ?? wordsOf(reason).message} · ${formatCount(count)}`,
    })),
  ];
}

/** The name of a file with its parent directory: names alone repeat from camera to camera. */
function nearName(path: string): string {
  return path.split(/[\\/]/).slice(-2).join('/');
}

/** How far the original of a copy is; otherwise it is on its way. */
const FAR: Readonly<Partial<Record<ItemRow['state'], string>>> = {
  confirmed: 'confirmed',
  parked: 'which needs attention',
  skipped: 'skipped',
};

export function leftOutReason({
  reason,
  duplicateOf,
}: Pick<LeftOutRow, 'reason' | 'duplicateOf'>): string {
  if (reason === 'item.duplicate' && duplicateOf !== null) {
    const far = FAR[duplicateOf.state] ?? 'on its way';
    const where = duplicateOf.batchId === null ? '' : `, ${far} in ${duplicateOf.batchId}`;
    return `Same content as ${visible(nearName(duplicateOf.path))}${where}.`;
  }
  return reason === null ? 'Nothing to do.' : wordsOf(reason).message;
}

/** How to get it uploaded after all, as a sentence. */
export function leftOutAdvice(reason: ErrorCode | null): string {
  return reason === null ? '' : wordsOf(reason).hint;
}
