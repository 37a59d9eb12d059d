/** Whether an answer to a download can be the file: pages of a proxy or a sign-in come as anything else. Pure. */

/** Bytes from the start of a file that show whether it is an archive. */
export const HEAD_BYTES = 512;

const PAGE_NAME = /\.html?$/i;
const MARKUP_NAME = /\.(html?|xhtml|xml|svg|txt|md)$/i;
const MEDIA_NAME = /\.(bmp|dib|jpe?g?|jp2|png|webp|gif|tiff?|mp4|m4v|avi|mov|mkv|webm|mpe?g)$/i;
const TABLE_NAME = /\.(csv|tsv|parquet)$/i;
const ARCHIVE_NAME = /\.(tar|tgz|gz|zip)$/i;
/** Where a member's header keeps its checksum, and how long that is. */
const SUM_AT = 148;
const SUM_BYTES = 8;

/** True when an answer calls itself a page though the file's name is no page's. */
export function isUnexpectedPage(fileName: string, contentType: string | undefined): boolean {
  return /^\s*text\/html\b/i.test(contentType ?? '') && !PAGE_NAME.test(fileName);
}

/** The start of a download. */
export interface Start {
  readonly fileName: string;
  readonly contentType: string | undefined;
  /** The first HEAD_BYTES, or what there is of them. */
  readonly head: Uint8Array;
  /** Nothing comes after the head when it is shorter. */
  readonly isComplete: boolean;
}

/** What came instead of a file: an error as JSON, a page, nothing, or no archive although its name says so. */
export type Mistaken = 'json' | 'page' | 'empty' | 'noArchive';

/** True for an object of JSON under the name of another kind of file: one that calls itself so, or begins like an error. */
function isUnexpectedJson({ fileName, contentType, head }: Start): boolean {
  const isStated = /^\s*application\/([a-z.]+\+)?json\b/i.test(contentType ?? '');
  const isOther = [MEDIA_NAME, TABLE_NAME, ARCHIVE_NAME].some((names) => names.test(fileName));
  const text = Buffer.from(head).toString('latin1');
  return isOther && (isStated ? /^\s*\{/ : /^\s*\{\s*"(error|errors|message|detail)"/).test(text);
}

/** True for a name whose file always has some bytes: a picture, a video, an archive. A table may be empty. */
function isNeverEmpty(fileName: string): boolean {
  return isArchiveName(fileName) || MEDIA_NAME.test(fileName);
}

/** True when the first bytes of a file are those of a page or another document with tags, as something in between answers. */
function isPageHead(head: Uint8Array): boolean {
  return /^(\u00ef\u00bb\u00bf)?\s*</.test(Buffer.from(head).toString('latin1'));
}

/** True when the first bytes are those of a page, whatever type the answer states. */
function isHtmlHead(head: Uint8Array): boolean {
  return /^(\u00ef\u00bb\u00bf)?\s*<(!doctype\s+html|html)\b/i.test(
    Buffer.from(head).toString('latin1'),
  );
}

/** True for a name that promises an archive or a packed file. */
function isArchiveName(fileName: string): boolean {
  return ARCHIVE_NAME.test(fileName);
}

function isTarHeader(head: Uint8Array): boolean {
  if (head.length < HEAD_BYTES) return false;
  // An archive without members is nothing but zeros.
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
 * True when the first bytes of a file, HEAD_BYTES of them or the whole of a shorter one, are those of a zip, a gzip or a
 * tar. Which of these the name promises does not count: the service names archives as it likes.
 */
function isArchiveHead(head: Uint8Array): boolean {
  const start = Buffer.from(head.subarray(0, 4)).toString('latin1');
  if (start.startsWith('\x1f\x8b')) return true;
  if (start === 'PK\x03\x04' || start === 'PK\x05\x06') return true;
  return isTarHeader(head);
}

/** Tells what came instead of a file; null while nothing rules out that it is the file. */
export function mistakenFor(start: Start): Mistaken | null {
  const { fileName, head, isComplete } = start;
  if (isUnexpectedJson(start)) return 'json';
  if (isComplete && head.length === 0 && isNeverEmpty(fileName)) return 'empty';
  if (!MARKUP_NAME.test(fileName) && isHtmlHead(head)) return 'page';
  const mayGrow = head.length < HEAD_BYTES && !isComplete;
  if (!isArchiveName(fileName) || mayGrow || isArchiveHead(head)) return null;
  return isPageHead(head) ? 'page' : 'noArchive';
}
