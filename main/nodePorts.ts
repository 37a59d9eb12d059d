/** The engine's ports implemented with Node, for both programs. */
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Files, Log, Ports, Random } from './engine/core/ports.ts';
import type { LogFile } from './logFile.ts';
import { certificateFile } from './engine/service/http/certificates.ts';
import { createHttp, type HttpClient, type HttpOptions } from './engine/service/http/http.ts';
import { proxyFromEnvironment } from './engine/service/http/proxy.ts';
import { systemClock } from './systemClock.ts';

/** Letters and digits that one random number gives: it must be below 2 ** 48. */
const DRAWN = 9;

function drawn(): string {
  return randomInt(36 ** DRAWN)
    .toString(36)
    .padStart(DRAWN, '0');
}

export const systemRandom: Random = {
  fraction: () => Math.random(),
  token: (length) =>
    Array.from({ length: length / DRAWN + 1 }, drawn)
      .join('')
      .slice(0, length),
};

/** Extra certificates for the HTTP client, as the usual variables name them. A file that cannot be read is logged. */
function extraTrust(environment: NodeJS.ProcessEnv, log: Log): { caPem?: string } {
  const path = certificateFile(environment);
  if (path === null) return {};
  try {
    return { caPem: readFileSync(path, 'utf8') };
  } catch {
    log.write('warn', 'certificates.unreadable', { path });
    return {};
  }
}

/** Creates the ports. Without `routesFor`, proxies are as the environment names them. */
export function createNodePorts(
  files: Files,
  log: Log,
  environment: NodeJS.ProcessEnv,
  routesFor?: HttpOptions['routesFor'],
): Ports & { readonly http: HttpClient } {
  const fromEnvironment = proxyFromEnvironment(environment);
  return {
    clock: systemClock,
    random: systemRandom,
    log,
    files,
    http: createHttp({
      routesFor: routesFor ?? ((origin) => [fromEnvironment(origin)]),
      ...extraTrust(environment, log),
    }),
  };
}

/** Closes the ports, and writes what the log still holds. */
export async function closePorts(
  { files, http }: Ports & { readonly http: HttpClient },
  log: LogFile,
): Promise<void> {
  await files.close();
  await http.close();
  log.flush();
}
