/**
 * Carries values between the host and a page as text: JSON, which is all that the contract has. These functions are also sent into the
 * page as source text, so they may use nothing but each other.
 */

/** Encodes a value; one that is not JSON throws what Electron throws for a function. */
export function encodeValue(value: unknown): string {
  return JSON.stringify(value ?? null, (_key, inner: unknown) => {
    const isOther = ['function', 'symbol', 'bigint'].includes(typeof inner);
    const isOdd = typeof inner === 'number' && !Number.isFinite(inner);
    const isHeld = inner instanceof Promise || inner instanceof Map || inner instanceof Set;
    if (isOther || isOdd || isHeld) throw new Error('An object could not be cloned.');
    return inner;
  });
}

/** Decodes what `encodeValue` wrote. */
export function decodeValue(text: string): unknown {
  return JSON.parse(text);
}
