/** Whether the address of a service contains a key. Addresses are stored and shown; keys never are. Pure. */

/** Names under which services and proxies take a key in an address. */
const KEY_NAME =
  /^(?:(?:x|api|access|auth|bearer|client|refresh|session)[-_]?)*(?:key|token|auth|authorization|pass(?:word|wd)?|secret)$/i;
/** A shorter one could be a part of any word, in characters. Our choice. */
const LEAST_KEY_LENGTH = 4;

/**
 * True when the address has a user name or a password, a parameter that is named like a key, or the key itself in a parameter.
 * Other parameters are allowed. `apiKey` is '' when it is not known.
 */
export function hasKeyInAddress(address: string, apiKey: string): boolean {
  if (!URL.canParse(address)) return false;
  const { username, password, search, hash } = new URL(address);
  if (username !== '' || password !== '') return true;
  const isKey = (text: string): boolean =>
    apiKey.length >= LEAST_KEY_LENGTH && text.includes(apiKey);
  const parameters = `${search}${hash}`
    .split(/[?#&;]/)
    .flatMap((one) => [...new URLSearchParams(one)]);
  return (
    isKey(`${search}${hash}`) ||
    parameters.some(
      ([name, value]) => isKey(name) || isKey(value) || (KEY_NAME.test(name) && value !== ''),
    )
  );
}
