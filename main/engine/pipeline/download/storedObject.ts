/** Which stored object a signed address leads to. Pure. */
import { hash } from 'node:crypto';

/** Parameters that sign an address (Google, Amazon, CloudFront, Azure): they differ each time the same object is listed. */
const SIGNS =
  /^(?:x-goog-.*|x-amz-.*|expires|signature|googleaccessid|awsaccesskeyid|key-pair-id|policy|sig|se|st|sp|sv|sr|spr|sk\w{1,3})$/i;
/** Long enough that no two objects of a ledger share it. */
const DIGEST_CHARACTERS = 24;

/**
 * A digest of an address without what signs it; null without an address. Equal for addresses of one object, unless the storage writes
 * something else into each. Nothing can be fetched with it, so it is no secret.
 */
export function objectAt(address: string): string | null {
  const url = URL.parse(address);
  if (url === null) return null;
  const { origin, pathname, searchParams } = url;
  const rest = [...searchParams].filter(([name]) => !SIGNS.test(name)).sort();
  const object = JSON.stringify([origin, pathname, rest]);
  return hash('sha256', object).slice(0, DIGEST_CHARACTERS);
}
