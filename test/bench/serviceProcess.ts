/** The reference service in a separate process, so that its work does not count as the client's. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A running service, and how to ask it. */
export interface ServiceProcess {
  readonly url: string;
  /** How many files a batch has. */
  count(batchId: string): Promise<number>;
  close(): Promise<void>;
}

const MAIN = join(import.meta.dirname, '../service/main.ts');
export const API_KEY = 'demo-key';

function urlIn(line: string): string {
  const told: unknown = JSON.parse(line);
  if (typeof told === 'object' && told !== null && 'url' in told && typeof told.url === 'string')
    return told.url;
  throw new Error('the service does not say where it is');
}

async function countOf(address: string): Promise<number> {
  const answer: unknown = await (await fetch(address)).json();
  return typeof answer === 'object' && answer !== null && 'count' in answer
    ? Number(answer.count)
    : 0;
}

/** Starts one that delays every answer by `latencyMs`; resolves when it listens. */
export async function startService(latencyMs = 0): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [MAIN, '--quiet', '--latency', String(latencyMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout });
  const first: unknown = (await once(lines, 'line'))[0];
  const url = urlIn(String(first));
  const count = `${url}/data-staging/v1/external/demo/batches`;
  return {
    url,
    count: (batchId) => countOf(`${count}/${batchId}/count?api_key=${API_KEY}`),
    close: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
