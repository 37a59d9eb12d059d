/** Names made legal: on the service, as ids, and on this disk. Pure functions. */
import { hash } from 'node:crypto';
import { isBatchId, isJobId } from '../../core/ids.ts';
import { MAX_NAME_BYTES } from '../../core/limits.ts';
import type { BatchId, Fingerprint, JobId } from '../../core/model.ts';
import { readableName } from './pathBytes.ts';

/** Digits of the hash in a unique name or shortened id. */
const HASH_DIGITS = 8;
/** An ending that is longer than this is not an extension but part of the name. */
const MAX_EXTENSION_BYTES = 16;
/** Control characters, line and paragraph separators, bidirectional text marks, lone surrogates. */
export const UNPRINTABLE =
  /[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

function shortHash(text: string): string {
  return hash('sha256', text, 'hex').slice(0, HASH_DIGITS);
}

/** The longest prefix of whole characters that fits. */
function cutToBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  let cut = '';
  let bytes = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    cut += character;
  }
  return cut;
}

/** Stem and extension; the extension includes its dot, and is '' when there is none worth keeping. */
function splitName(name: string): { readonly stem: string; readonly extension: string } {
  const dot = name.lastIndexOf('.');
  const extension = name.slice(dot);
  if (dot <= 0 || Buffer.byteLength(extension) > MAX_EXTENSION_BYTES) {
    return { stem: name, extension: '' };
  }
  return { stem: name.slice(0, dot), extension };
}

/** The name with `suffix` before its extension, shortened to fit. */
export function withSuffix(name: string, suffix: string, maxBytes: number): string {
  const { stem, extension } = splitName(name);
  const room = maxBytes - Buffer.byteLength(suffix) - Buffer.byteLength(extension);
  return cutToBytes(stem, room) + suffix + extension;
}

/** The name, cut to fit where it is too long, with a hash that keeps it different from other names that were cut. */
export function fittingName(name: string, maxBytes: number): string {
  if (Buffer.byteLength(name) <= maxBytes) return name;
  return withSuffix(name, `~${shortHash(name)}`, maxBytes);
}

export interface UniqueSeed {
  /** The file's path within its source, with "/" on every system. */
  readonly seedPath: string;
  readonly fingerprint: Fingerprint;
  /**
   * 0 at first; higher if the names of the earlier attempts belong to other files: among very many files, two may have the same eight
   * digits.
   */
  readonly attempt: number;
}

function legalCharacters(baseName: string): string {
  return readableName(baseName)
    .normalize('NFC')
    .replace(UNPRINTABLE, '_')
    .replace(/[/\\]/g, '_')
    .replace(/^[.\-\s]+/, (run) => '_'.repeat(run.length));
}

/**
 * The name of a file on the service, at most MAX_NAME_BYTES of UTF-8: the base name if that is legal, otherwise (or when a
 * unique name is requested) `stem~<8 hex>.ext`. A pure function, so that a retry finds the same name.
 */
export function nameAtService(file: {
  readonly baseName: string;
  readonly unique: UniqueSeed | null;
}): string {
  const legal = legalCharacters(file.baseName);
  const isLegal =
    legal !== '' &&
    legal === file.baseName.normalize('NFC') &&
    Buffer.byteLength(legal) <= MAX_NAME_BYTES;
  if (isLegal && file.unique === null) return legal;
  const seed = file.unique ?? { seedPath: file.baseName, fingerprint: '', attempt: 0 };
  // Never change this: a file must keep the name that an earlier run gave it.
  const hash = shortHash([seed.seedPath, seed.fingerprint, String(seed.attempt)].join('\0'));
  return withSuffix(legal, `~${hash}`, MAX_NAME_BYTES);
}

/** Names with the same key are the same to a file system or a service that ignores case or composition. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

function legalId(text: string, maxLength: number, empty: string, underscore: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(new RegExp(`[^a-z0-9${underscore}]+`, 'g'), '-')
    .replace(/-{2,}/g, '-')
    .replace(/^-+|-+$/g, '');
  // If nothing readable is left, or the text is too long, a hash keeps different texts apart.
  if (plain === '') return `${empty}-${shortHash(text)}`;
  if (plain.length <= maxLength) return plain;
  const kept = plain.slice(0, maxLength - HASH_DIGITS - 1).replace(/-+$/, '');
  return `${kept}-${shortHash(text)}`;
}

/** A legal batch id (`^[a-z0-9_-]{1,64}$`) from any text; legal ones stay unchanged. */
export function legalBatchId(text: string): BatchId {
  const id = isBatchId(text) ? text : legalId(text, 64, 'batch', '_');
  if (!isBatchId(id)) throw new Error('a batch id that is not legal');
  return id;
}

/** A legal job id (`^[a-z0-9-]{1,20}$`) from any text; legal ones stay unchanged. */
export function legalJobId(text: string): JobId {
  const id = isJobId(text) ? text : legalId(text, 20, 'job', '');
  if (!isJobId(id)) throw new Error('a job id that is not legal');
  return id;
}
