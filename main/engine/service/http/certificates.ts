/** Which certificates are trusted: Node's own list, the system's store, and those that a variable names in addition. */
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import type { Environment } from '../../core/ports.ts';

/** The file of additional certificates that the usual variables name; null when there is none. */
export function certificateFile(environment: Environment): string | null {
  const named = [environment['SSL_CERT_FILE'], environment['NODE_EXTRA_CA_CERTS']];
  return named.find((path) => path !== undefined && path !== '') ?? null;
}

let known: readonly string[] | null = null;

/** The certificates of this computer. Read only once: the system's store holds hundreds. */
function ofComputer(): readonly string[] {
  if (known !== null) return known;
  known = getCACertificates('default');
  try {
    known = [...new Set([...known, ...getCACertificates('system')])];
  } catch {
    // A runtime that cannot read the system's store.
  }
  return known;
}

let last: { readonly extraPem: string | null; readonly context: SecureContext } | null = null;

/**
 * What encrypted connections trust; `extraPem`: in addition to the usual certificates. The last context is kept: reading hundreds of
 * certificates takes longer than connecting, and each copy takes over a megabyte. Throws what Node throws.
 */
export function trustedContext(extraPem: string | null): SecureContext {
  if (last?.extraPem === extraPem) return last.context;
  const ca = extraPem === null ? ofComputer() : [...ofComputer(), extraPem];
  const context = createSecureContext({ ca: [...ca] });
  last = { extraPem, context };
  return context;
}
