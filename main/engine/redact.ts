/**
 * The one redaction function: everything that is logged, printed, shown or put into an error passes through it.
 * Signed URLs and keys are secrets (CONTRIBUTING.md, goals).
 */

const HIDDEN = '[hidden]';

/** Query parameters of URLs that name nothing secret; every other value in a query is hidden. */
const PLAIN_PARAMETERS = new Set([
  'fileName',
  'displayName',
  'pageSize',
  'partName',
  'startDate',
  'endDate',
  'project',
  'name',
  'severity',
  'groupId',
]);

/** Values that were registered as secret while the program runs: keys and secret webhook paths. */
const secrets = new Set<string>();

/** Registers a value that must never be shown again. Values under 4 characters are ignored: hiding them would hide plain text. */
export function registerSecret(value: string): void {
  if (value.length < 4) return;
  secrets.add(value);
  secrets.add(encodeURIComponent(value));
}

/** Returns the text with keys, signed URLs and credentials replaced by "[hidden]". Never throws. */
export function redact(text: string): string {
  let clean = text;
  for (const secret of secrets) clean = clean.replaceAll(secret, HIDDEN);
  return clean
    .replace(/\b(https?:\/\/)[^\s/@"'<>]+@/gi, `$1${HIDDEN}@`)
    .replace(/\bBearer\s+[^\s"',;]+/gi, `Bearer ${HIDDEN}`)
    .replace(/([?&])([^=&\s"'<>#]+)=([^&\s"'<>#]*)/g, (whole, mark: string, name: string) =>
      PLAIN_PARAMETERS.has(name) ? whole : `${mark}${name}=${HIDDEN}`,
    )
    .replace(/("?\bapi_?key"?\s*[:=]\s*"?)[^\s"',;&}]+/gi, `$1${HIDDEN}`);
}
