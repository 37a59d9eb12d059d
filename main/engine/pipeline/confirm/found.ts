/** What was found under a listed name of ours. */
import type { SluiceError } from '../../core/errors.ts';
import type { ListedItem, OwnFile } from '../../store/queue/awaited.ts';
import type { ContentMatch } from '../presence/sameContent.ts';

/** An object listed under one of our names, and our own file. */
export interface Claim {
  readonly item: ListedItem;
  readonly file: OwnFile;
  readonly url: string;
  /** The name proves the content, so that it need not be compared. */
  readonly byName?: boolean;
  /** Only our content can have the name. */
  readonly isUnique?: boolean;
  /** A service may list a video once it is registered; an image or an archive is listed only if it has arrived. */
  readonly mayBeEmpty?: boolean;
  /** Only a part of the file may have arrived: it is doubtful, and the storage is not known to alter files. */
  readonly mayBePart?: boolean;
}

/** `nothing`: the name is listed, but there is no object, or it is empty, so that our file has not arrived. */
export type Found = (ContentMatch | { readonly kind: 'nothing' }) & Pick<Claim, 'isUnique'>;

/** True for a match that says that nothing has arrived of a video: some storages let nothing be read of what they accepted. */
export function isAbsent({ item, mayBeEmpty = false }: Claim, match: ContentMatch): boolean {
  if (!mayBeEmpty || item.state === 'sent' || match.kind !== 'unknown') return false;
  return match.error?.code === 'service.notFound';
}

export function foundBy(
  { isUnique = false, mayBeEmpty = false }: Claim,
  match: ContentMatch,
): Found {
  const isNothing = mayBeEmpty && match.kind === 'different' && match.isEmpty === true;
  return { ...(isNothing ? ({ kind: 'nothing' } as const) : match), isUnique };
}

/** A listed item that could not be compared. */
export type Unchecked = ListedItem & {
  readonly error: SluiceError | null;
  readonly isUnique: boolean;
  /** See Found. */
  readonly nothing: boolean;
};

/** True for an item that waits to be sent, but may be there already. */
export function isUnsent<T extends ListedItem>(
  item: T,
  found?: Found,
): item is T & { transferId: number } {
  return item.state === 'planned' && item.transferId !== null && found?.kind !== 'nothing';
}

/** True when it is not known yet whether the listed object is our file. */
export function isOpen(found?: Found): boolean {
  return found?.kind === 'unknown' || found?.kind === 'nothing';
}

export function toUnchecked(item: ListedItem, found?: Found): Unchecked {
  const error = found?.kind === 'unknown' ? (found.error ?? found.others ?? null) : null;
  return { ...item, error, isUnique: found?.isUnique === true, nothing: found?.kind === 'nothing' };
}
