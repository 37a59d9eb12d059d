/** Maps the errors of sockets, TLS and undici to the faults of the Http port. */
import type { NetworkFault } from '../../core/ports.ts';

const CODES: readonly (readonly [NetworkFault, readonly string[]])[] = [
  ['refused', ['ECONNREFUSED', 'UND_ERR_PRX_CONN', 'UND_ERR_INVALID_ARG']],
  ['unresolved', ['ENOTFOUND', 'EAI_NODATA', 'ERR_INVALID_URL']],
  ['openFiles', ['EMFILE', 'ENFILE']],
  ['replaced', ['ERR_MODULE_NOT_FOUND']],
  ['offline', ['EAI_AGAIN', 'ENETUNREACH', 'ENETDOWN', 'EHOSTUNREACH', 'EADDRNOTAVAIL']],
  ['timeout', ['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT']],
  ['tls', ['UND_ERR_PRX_TLS', 'EPROTO', 'HOSTNAME_MISMATCH']],
];

/** Families of Node's and OpenSSL's certificate and TLS codes. */
const TLS_CODE =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|SELF_SIGNED_|DEPTH_ZERO_)/;

function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  // Happy eyeballs wraps one error per address tried.
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return null;
}

/** Names the fault behind an error; an unknown one is `lost`. */
export function faultOf(error: unknown): NetworkFault {
  const code = codeOf(error);
  // undici states a proxy's status only in the message of its error.
  if (/^UND_ERR_/.test(code ?? '') && error instanceof Error && /\(407\)/.test(error.message))
    return 'proxyAuth';
  if (code === null) return 'lost';
  if (TLS_CODE.test(code)) return 'tls';
  return CODES.find(([, codes]) => codes.includes(code))?.[0] ?? 'lost';
}

/** Code and message of an error in one line, for the log. */
export function detailOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `${codeOf(error) ?? 'error'}: ${message}`.slice(0, 300);
}
