/** Which certificates are trusted: Node's own list, the system's store, and those that a variable names in addition. */
import { getCACertificates } from 'node:tls';

type Environment = Readonly<Record<string, string | undefined>>;

/** The file of additional certificates that the usual variables name; null when there is none. */
export function certificateFile(environment: Environment): string | null {
  const named = [environment['SSL_CERT_FILE'], environment['NODE_EXTRA_CA_CERTS']];
  return named.find((path) => path !== undefined && path !== '') ?? null;
}

let known: readonly string[] | null = null;

/** Read only once: the system's store holds hundreds of certificates. */
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

/** Everything that is trusted, PEM. */
export function trustedCertificates(extraPem: string | null): string[] {
  return extraPem === null ? [...ofComputer()] : [...ofComputer(), extraPem];
}
