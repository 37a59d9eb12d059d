/** Reads the body of an answer: JSON with a size limit, or the service's own words about an error. */
import type { BodyKind } from '../../evidence/answers.ts';
import { KEPT_ANSWER_BYTES, MAX_JSON_BYTES } from '../../core/limits.ts';
import type { HttpAnswer } from '../../core/ports.ts';
import { giveBack } from '../../core/receiveMemory.ts';
import { redact } from '../../core/redact.ts';
import { unpackedBytes } from '../http/unpackedAnswer.ts';
import { SluiceFailure } from '../../core/errors.ts';

/** How many bytes of an error's body are read. Our choice: its words come first. */
const ERROR_BODY_BYTES = 16 * 1024;
/** How many characters of the service's words are kept. Our choice. */
const SAID_CHARACTERS = 200;

/** Leaves out a byte order mark, as RFC 8259 allows; some servers begin their JSON with one. */
const UTF8 = new TextDecoder();

/** The unpacked text of a body. `whole` is false if it is too long or damaged. Throws SluiceFailure when it is cut off. */
async function readText(
  answer: HttpAnswer,
  limitBytes: number,
): Promise<{ text: string; whole: boolean }> {
  const chunks: Uint8Array[] = [];
  let room = limitBytes;
  try {
    // The limit applies to the unpacked size: a small body can unpack to a huge one.
    for await (const chunk of unpackedBytes(answer)) {
      chunks.push(chunk.subarray(0, room));
      room -= chunk.length;
      if (room < 0) break;
    }
  } catch (error) {
    if (error instanceof SluiceFailure) throw error;
    return { text: '', whole: false };
  }
  // Of a text that is too long, only the start is of use: in a log, or as an error's words.
  const bytes = room < 0 ? ERROR_BODY_BYTES : limitBytes - room;
  const text = UTF8.decode(Buffer.concat(chunks, bytes));
  for (const chunk of chunks) giveBack(chunk);
  return { text, whole: room >= 0 };
}

/** The start of an unreadable answer, without secrets, for the log. */
export function keptAnswer(text: string): string {
  // Redacted before it is cut: half a secret would not be recognised.
  return redact(text.slice(0, 4 * KEPT_ANSWER_BYTES)).slice(0, KEPT_ANSWER_BYTES);
}

/** Reads JSON of at most MAX_JSON_BYTES; `json` is undefined for anything else. Throws SluiceFailure when the body is cut off. */
export async function readJson(
  answer: HttpAnswer,
): Promise<{ readonly json: unknown; readonly text: string }> {
  const { text, whole } = await readText(answer, MAX_JSON_BYTES);
  return { json: whole ? jsonOf(text) : undefined, text };
}

/** The value of a JSON text; undefined for any other. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function property(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key.toLowerCase() === name)?.[1];
}

/**
 * The fields in which errors have their text, the most informative first: if there is a `message`, `error` is often only the name of the
 * status.
 */
const WORDS = ['message', 'msg', 'error_description', 'detail', 'error', 'errors', 'title'];
/** How deep we look for texts, and how many texts of a list are shown. Our choice. */
const WORDS_DEPTH = 3;
const WORDS_SHOWN = 3;

/** The words in `{"name":["is missing"]}`: what is wrong, by field of the request. */
function wordsOfFields(json: unknown): string | null {
  if (typeof json !== 'object' || json === null) return null;
  const lists = Object.entries(json).filter(([, value]) => Array.isArray(value));
  const all = lists.slice(0, WORDS_SHOWN).flatMap(([field, list]) => {
    const words = wordsOfJson(list, 0);
    return words === null ? [] : [`${field}: ${words}`];
  });
  return all.join('; ') || null;
}

/** The words in an error's JSON, as common frameworks write it (RFC 9457). Words about a field of the request begin with its name. */
function wordsOfJson(json: unknown, depth = WORDS_DEPTH): string | null {
  if (typeof json === 'string') return json;
  if (depth < 0) return null;
  if (Array.isArray(json)) {
    const all = json.slice(0, WORDS_SHOWN).map((entry) => wordsOfJson(entry, depth - 1));
    return all.filter((words) => words !== null).join('; ') || null;
  }
  const found = WORDS.map((name) => wordsOfJson(property(json, name), depth - 1));
  const words = found.find((text) => text !== null && text !== '') ?? wordsOfFields(json);
  const place = property(json, 'loc');
  const field: unknown = Array.isArray(place) ? place.at(-1) : null;
  return words !== null && typeof field === 'string' ? `${field}: ${words}` : words;
}

/** True for binary data that was read as text: more than a tenth are control characters, or replace bytes that are not UTF-8. */
function isBinary(text: string): boolean {
  const odd = text.match(/[\u0000-\u0008\u000e-\u001f\ufffd]/g)?.length ?? 0;
  return odd * 10 > text.length;
}

/** One redacted line of plain words; null when the text is markup, binary or empty. Of a storage's XML, the code is kept. */
export function wordsOf(text: string): string | null {
  const json = jsonOf(text);
  const code = /<Code>(\w{1,60})<\/Code>/.exec(text)?.[1] ?? null;
  const plain = /^\s*[<{[]/.test(text) ? code : text;
  const words = json === undefined ? plain : wordsOfJson(json);
  if (words === null || isBinary(words)) return null;
  const line = redact(words.slice(0, ERROR_BODY_BYTES))
    // Control and direction characters of an answer must not reach a terminal.
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ')
    .trim();
  if (line === '' || /<\/?[a-z!]/i.test(line)) return null;
  return line.slice(0, SAID_CHARACTERS).toWellFormed();
}

/** The kind of a body by the head of its answer. An empty one is no page, though Google's storage calls its empty answers HTML. */
export function bodyKindOf({ status, headers }: Pick<HttpAnswer, 'status' | 'headers'>): BodyKind {
  if (status === 204 || headers['content-length'] === '0') return 'other';
  const type = headers['content-type'] ?? '';
  if (/\bhtml\b/i.test(type)) return 'html';
  return /\bjson\b/i.test(type) ? 'json' : 'other';
}

function isJsonObject(text: string): boolean {
  const value = jsonOf(text);
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** The kind of an error's body, judged by its content, and its words; null when there are none or the body is cut off. */
export async function readError(
  answer: HttpAnswer,
): Promise<{ readonly body: BodyKind; readonly words: string | null }> {
  const byType = bodyKindOf(answer);
  try {
    const { text } = await readText(answer, ERROR_BODY_BYTES);
    if (isJsonObject(text)) return { body: 'json', words: wordsOf(text) };
    const isPage = byType === 'html' || /^\s*(<!doctype html|<html)/i.test(text);
    return { body: isPage ? 'html' : 'other', words: wordsOf(text) };
  } catch {
    return { body: byType === 'html' ? 'html' : 'other', words: null };
  }
}
