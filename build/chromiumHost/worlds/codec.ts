/**
 * Carries values between the host and a page as text, as faithfully as Electron's structured clone. These functions are also sent into
 * the page as source text, so they may use nothing but each other.
 */

/** Encodes a value; functions and symbols throw what Electron throws. */
export function encodeValue(value: unknown): string {
  return JSON.stringify(pack(value));
}

/** Decodes what `encodeValue` wrote. */
export function decodeValue(text: string): unknown {
  return unpack(JSON.parse(text));
}

/** Turns a value into JSON in which everything but plain scalars is `[tag, content]`. */
export function pack(value: unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (value === undefined) return ['undefined'];
  if (typeof value === 'number') {
    return Number.isFinite(value) && !Object.is(value, -0) ? value : ['number', numberText(value)];
  }
  if (typeof value === 'bigint') return ['bigint', String(value)];
  if (typeof value !== 'object') throw new Error('An object could not be cloned.');
  if (Array.isArray(value)) return ['array', value.map((entry) => pack(entry))];
  if (value instanceof Date) return ['date', value.getTime()];
  if (value instanceof Map) return ['map', pack([...value])];
  if (value instanceof Set) return ['set', pack([...value])];
  if (value instanceof Error) return ['error', [value.name, value.message]];
  if (value instanceof Promise || value instanceof WeakMap) {
    throw new Error('An object could not be cloned.');
  }
  if (value instanceof ArrayBuffer) return ['bytes', [...new Uint8Array(value)]];
  if (value instanceof Uint8Array) return ['bytes', [...value]];
  return ['object', Object.entries(value).map(([key, entry]) => [key, pack(entry)])];
}

/** A text for numbers that JSON cannot represent. */
export function numberText(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

/** Reverses `pack`. */
export function unpack(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const tag: unknown = value[0];
  const content: unknown = value[1];
  const list: readonly unknown[] = Array.isArray(content) ? content : [];
  switch (tag) {
    case 'undefined':
      return undefined;
    case 'number':
      return Number(content);
    case 'bigint':
      return BigInt(String(content));
    case 'array':
      return list.map((entry) => unpack(entry));
    case 'date':
      return new Date(Number(content));
    case 'map':
      return new Map(pairs(unpack(content)));
    case 'set': {
      const entries = unpack(content);
      return new Set(Array.isArray(entries) ? entries : []);
    }
    case 'error':
      return Object.assign(new Error(String(list[1])), { name: String(list[0]) });
    case 'bytes':
      return Uint8Array.from(list, Number);
    default:
      return Object.fromEntries(
        pairs(content).map(([key, entry]) => [String(key), unpack(entry)] as const),
      );
  }
}

/** The entries of a list of pairs; anything else is dropped. */
export function pairs(value: unknown): readonly (readonly [unknown, unknown])[] {
  if (!Array.isArray(value)) return [];
  return value.map((entry: unknown) =>
    Array.isArray(entry) ? [entry[0], entry[1]] : [entry, null],
  );
}
