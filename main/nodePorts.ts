/** The engine's ports over Node itself, put together for both programs. */
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createFiles } from './engine/files/nodeFiles.ts';
import type { Log, Ports, Random } from './engine/core/ports.ts';
import { createHttp } from './engine/service/http/http.ts';
import { proxyFromEnvironment } from './engine/service/http/proxy.ts';
import { systemClock } from './systemClock.ts';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Randomness of the system. */
export const systemRandom: Random = {
  fraction: () => Math.random(),
  token: (length) => Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join(''),
};

/** Extra certificates that the usual variables name; null when they name none that can be read. */
export function extraCertificates(environment: NodeJS.ProcessEnv): string | null {
  const path = environment['SSL_CERT_FILE'] ?? environment['NODE_EXTRA_CA_CERTS'];
  if (path === undefined || path === '') return null;
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Puts the ports together. `workerUrl` leads to the file worker, source or built. */
export function createNodePorts(workerUrl: URL, log: Log, environment: NodeJS.ProcessEnv): Ports {
  const caPem = extraCertificates(environment);
  return {
    clock: systemClock,
    random: systemRandom,
    log,
    files: createFiles({ workerUrl }),
    http: createHttp({
      proxyUrlFor: proxyFromEnvironment(environment),
      ...(caPem === null ? {} : { caPem }),
    }),
  };
}
