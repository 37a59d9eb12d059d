/** Whether an answer to a download can be the file: a proxy or sign-in page may arrive instead of any file. Pure. */

/** Bytes from the start of a file that show whether it is an archive. */
export const HEAD_BYTES = 512;

const PAGE_NAME = /\.html?$/i;
const MARKUP_NAME = /\.(html?|xhtml|xml|svg|txt|md)$/i;
const MEDIA_NAME = /\.(bmp|dib|jpe?g?|jp2|png|webp|gif|tiff?|mp4|m4v|avi|mov|mkv|webm|mpe?g)$/i;
const TABLE_NAME = /\.(csv|tsv|parquet)$/i;
const ARCHIVE_NAME = /\.(tar|tgz|gz|zip)$/i;
/** A picture, a video or an archive is never empty; a table may be. */
const NEVER_EMPTY = [ARCHIVE_NAME, MEDIA_NAME];
/** How a page or other markup begins, which a proxy or gateway in between may send, and how HTML begins. */
const MARKUP_HEAD = /^(\u00ef\u00bb\u00bf)?\s*</;
const HTML_HEAD = /^(\u00ef\u00bb\u00bf)?\s*<(!doctype\s+html|html)\b/i;
/** Offset and length of the checksum in a tar member's header. */
const SUM_AT = 148;
const SUM_BYTES = 8;

/** True when an answer is declared as a page although the file's name is not a page's. */
export function isUnexpectedPage(fileName: string, contentType: string | undefined): boolean {
  return /^\s*text\/html\b/i.test(contentType ?? '') && !PAGE_NAME.test(fileName);
}

/** True when the bytes of an answer, their length and their ranges belong to a compressed form of the file, not to the file itself. */
export function isPacked(headers: Readonly<Record<string, string>>): boolean {
  return !/^(identity)?$/i.test(headers['content-encoding']?.trim() ?? '');
}

export interface Start {
  readonly fileName: string;
  readonly contentType: string | undefined;
  /** The first HEAD_BYTES, or fewer if fewer have arrived. */
  readonly head: Uint8Array;
  /** Whether `head` is the whole file if it is shorter than HEAD_BYTES. */
  readonly isComplete: boolean;
}

/** What arrived instead of a file: an error as JSON, a page, nothing, or not an archive although its name says so. */
export type Mistaken = 'json' | 'page' | 'empty' | 'noArchive';

/** True when the first bytes are those of a JSON object that starts like an error. A result may start in the same way. */
export function mayBeError(head: Uint8Array): boolean {
  const text = Buffer.from(head).toString('latin1');
  return /^\s*\{\s*"(error|errors|message|detail)"/.test(text);
}

/** True for a JSON object under the name of another kind of file, if it is declared as JSON or starts like an error. */
function isUnexpectedJson({ fileName, contentType, head }: Start): boolean {
  const isStated = /^\s*application\/([a-z.]+\+)?json\b/i.test(contentType ?? '');
  const isOther = [MEDIA_NAME, TABLE_NAME, ARCHIVE_NAME].some((names) => names.test(fileName));
  const isObject = /^\s*\{/.test(Buffer.from(head).toString('latin1'));
  return isOther && (isStated ? isObject : mayBeError(head));
}

function isTarHeader(head: Uint8Array): boolean {
  if (head.length < HEAD_BYTES) return false;
  // An archive without members consists only of zeros.
  if (head.every((byte) => byte === 0)) return true;
  const stated = Buffer.from(head.subarray(SUM_AT, SUM_AT + SUM_BYTES)).toString('latin1');
  const octal = /^\s*([0-7]+)[\0 ]*$/.exec(stated.replace(/\0.*$/s, ''))?.[1];
  if (octal === undefined) return false;
  const sum = head.reduce(
    (total, byte, at) => total + (at >= SUM_AT && at < SUM_AT + SUM_BYTES ? 0x20 : byte),
    0,
  );
  return sum === Number.parseInt(octal, 8);
}

/**
 * True when the first bytes of a file (HEAD_BYTES, or all of a shorter one) are those of a zip, a gzip or a tar. It does not
 * matter which of these the name promises: the service names archives as it likes.
 */
function isArchiveHead(head: Uint8Array): boolean {
  const start = Buffer.from(head.subarray(0, 4)).toString('latin1');
  if (start.startsWith('\x1f\x8b')) return true;
  if (start === 'PK\x03\x04' || start === 'PK\x05\x06') return true;
  return isTarHeader(head);
}

/** What arrived instead of the file; null while it can still be the file. */
export function mistakenFor(start: Start): Mistaken | null {
  const { fileName, head, isComplete } = start;
  const text = Buffer.from(head).toString('latin1');
  if (isUnexpectedJson(start)) return 'json';
  if (isComplete && head.length === 0 && NEVER_EMPTY.some((names) => names.test(fileName)))
    return 'empty';
  if (!MARKUP_NAME.test(fileName) && HTML_HEAD.test(text)) return 'page';
  const mayGrow = head.length < HEAD_BYTES && !isComplete;
  if (!ARCHIVE_NAME.test(fileName) || mayGrow || isArchiveHead(head)) return null;
  return MARKUP_HEAD.test(text) ? 'page' : 'noArchive';
}
