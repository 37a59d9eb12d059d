/** Reads a multipart/form-data body, strictly: any deviation from the format is refused with the reason. */
import { Refusal } from './refusal.ts';

export interface FilePart {
  readonly fieldName: string;
  readonly fileName: string;
  /** null when the part had no Content-Type of its own. */
  readonly contentType: string | null;
  readonly bytes: Buffer;
}

export function boundaryOf(contentType: string): string {
  const match = /^multipart\/form-data\s*;.*?\bboundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(
    contentType,
  );
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) throw new Refusal(400, 'multipart/form-data without a boundary');
  return boundary;
}

/** The first file part of a body, which must be complete and well formed to its last line. */
export function firstFilePart(body: Buffer, boundary: string): FilePart {
  const parts = splitParts(body, boundary).map(parsePart);
  const file = parts.find((part) => part !== null);
  if (file === undefined || file === null) throw new Refusal(400, 'no file in the form');
  return file;
}

function splitParts(body: Buffer, boundary: string): readonly Buffer[] {
  const opening = Buffer.from(`--${boundary}\r\n`);
  if (!body.subarray(0, opening.length).equals(opening))
    throw new Refusal(400, 'the form does not begin with its boundary');
  const mark = Buffer.from(`\r\n--${boundary}`);
  const parts: Buffer[] = [];
  let from = opening.length;
  for (;;) {
    const end = body.indexOf(mark, from);
    if (end < 0) throw new Refusal(400, 'the form does not end with its boundary');
    parts.push(body.subarray(from, end));
    const after = body.toString('latin1', end + mark.length, end + mark.length + 2);
    from = end + mark.length + 2;
    if (after === '--') break;
    if (after !== '\r\n') throw new Refusal(400, 'the form has a damaged boundary');
  }
  const rest = body.toString('latin1', from);
  if (rest !== '' && rest !== '\r\n') throw new Refusal(400, 'bytes after the end of the form');
  return parts;
}

function parsePart(part: Buffer): FilePart | null {
  const headEnd = part.indexOf('\r\n\r\n');
  if (headEnd < 0) throw new Refusal(400, 'a part of the form has no head');
  const headers = new Map<string, string>();
  for (const line of part.toString('utf8', 0, headEnd).split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon <= 0) throw new Refusal(400, 'a part of the form has a damaged head');
    headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  const disposition = headers.get('content-disposition') ?? '';
  if (!/^form-data\b/i.test(disposition))
    throw new Refusal(400, 'a part of the form is no form data');
  const fieldName = parameter(disposition, 'name');
  if (fieldName === null) throw new Refusal(400, 'a part of the form has no name');
  const fileName = parameter(disposition, 'filename');
  if (fileName === null) return null;
  return {
    fieldName,
    fileName,
    contentType: headers.get('content-type') ?? null,
    bytes: part.subarray(headEnd + 4),
  };
}

/** A parameter of the disposition, also in the extended form (`filename*=utf-8''…`) that some clients use. */
function parameter(disposition: string, name: string): string | null {
  const plain = new RegExp(`;\\s*${name}="((?:[^"\\\\]|\\\\.)*)"`, 'i').exec(disposition)?.[1];
  if (plain !== undefined) return plain;
  const extended = new RegExp(`;\\s*${name}\\*=utf-8''([^;\\s]*)`, 'i').exec(disposition)?.[1];
  if (extended === undefined) return null;
  try {
    return decodeURIComponent(extended);
  } catch {
    throw new Refusal(400, 'a part of the form has a damaged name');
  }
}
