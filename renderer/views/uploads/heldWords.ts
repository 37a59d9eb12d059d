/** What the window says while something is dragged over it, and about what was then dropped. */
import type { DroppedPath, DropSummary } from '../../../preload/contract/records.ts';
import { countOf, formatBytes } from '../../../preload/contract/figures.ts';

/** A sentence about what is dragged, by media type; '' is a folder or a file of unknown type. */
export function heldWords(types: readonly string[]): string {
  const held = types.length;
  if (held === 0) return 'Drop to upload';
  if (types.every((type) => type.startsWith('image/')))
    return `Drop to upload ${countOf(held, 'image')}`;
  if (types.every((type) => type.startsWith('video/')))
    return `Drop to upload ${countOf(held, 'video')}`;
  return held === 1 ? 'Drop to upload or watch this' : `Drop to upload these ${held}`;
}

/** "1 folder and 3 files", as far as it is known what the paths are. */
export function heldCount(places: readonly Pick<DroppedPath, 'kind'>[]): string {
  const folders = places.filter(({ kind }) => kind === 'directory').length;
  const files = places.filter(({ kind }) => kind === 'file').length;
  const parts = [
    folders === 0 ? null : countOf(folders, 'folder'),
    files === 0 ? null : countOf(files, 'file'),
  ].filter((part) => part !== null);
  return parts.length === 0 ? 'nothing' : parts.join(' and ');
}

export function heldSum({ files, bytes, more }: DropSummary): string {
  return `${more ? 'more than ' : ''}${countOf(files, 'file')}, ${formatBytes(bytes)}`;
}

/** Why a path cannot be uploaded; null when it can. */
export function heldFault(kind: DroppedPath['kind']): string | null {
  if (kind === 'gone') return 'no longer exists';
  return kind === 'unreadable' ? 'no permission to read' : null;
}

/** What to do when nothing that was dropped can be uploaded. */
export function emptyWords(places: readonly Pick<DroppedPath, 'kind'>[], leftOut: number): string {
  if (places.some(({ kind }) => kind === 'unreadable')) {
    return 'Grant read permission, then drop it again.';
  }
  if (places.some(({ kind }) => kind === 'gone')) {
    return 'It was moved or deleted. Drop it again from its new place.';
  }
  return leftOut > 0
    ? 'None of it is an image or a video that the service accepts.'
    : 'It has no files yet. Watch the folder to upload files as they arrive.';
}
