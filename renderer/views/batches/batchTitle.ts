import type { BatchRow } from '../../../preload/contract/records.ts';
import { shortDayText } from '../../text/dates.ts';
import { capitalized } from '../../text/sentence.ts';

/** An id made by a rule: a name, a day, and a number within that day. */
const DATED = /^(.*?)[-_](20\d\d)-?(0[1-9]|1[0-2])-?([0-2]\d|3[01])(?:-(\d{1,3}))?(-videos)?$/;

/** Its display name; otherwise its id in words. */
export function batchTitle({
  batchId,
  displayName,
}: Pick<BatchRow, 'batchId' | 'displayName'>): string {
  return displayName ?? idTitle(batchId);
}

/** "orchard-2026-11-21-2" in words: "Orchard · 21 Nov (2)". An id without a day stays as it is. */
export function idTitle(batchId: string): string {
  const [, name = '', year = '', month = '', day = '', count, videos] = DATED.exec(batchId) ?? [];
  const words = name.replaceAll(/[-_]+/g, ' ').trim();
  if (words === '') return batchId;
  const date = shortDayText(`${year}-${month}-${day}`);
  return `${capitalized(words)} · ${date}${count === undefined ? '' : ` (${count})`}${videos === undefined ? '' : ' · videos'}`;
}
