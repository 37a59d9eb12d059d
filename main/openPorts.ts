/** The ports of the command line, which are closed when it ends. */
import { createLazyThreadFiles } from './engine/files/nodeFiles.ts';
import type { Pool } from './engine/files/pool/threadPool.ts';
import { openLogFile } from './logFile.ts';
import { closePorts, createNodePorts } from './nodePorts.ts';

/** Where the log is, how much is logged, and where it is also shown if it is verbose. */
export interface LogWanted {
  readonly directory: string;
  readonly verbose: boolean;
  readonly say: (line: string) => void;
}

/** How soon the heap is bound, in ms: short commands have ended by then, and no other has much in memory. Our choice. */
const BOUND_HEAP_MS = 250;

function boundHeapSoon(): void {
  const bind = async (): Promise<void> => {
    const { boundHeap } = await import('./boundHeap.ts');
    boundHeap();
  };
  // It only saves memory: without it, everything works.
  setTimeout(() => void bind().catch(() => undefined), BOUND_HEAP_MS).unref();
}

/** Creates the ports; call it once. */
export function openPorts(pool: Pool, { directory, verbose, say }: LogWanted) {
  boundHeapSoon();
  const log = openLogFile(directory, verbose ? 'debug' : 'info', verbose ? say : null);
  const ports = createNodePorts(createLazyThreadFiles(pool), log, process.env);
  return {
    ports,
    close: () => closePorts(ports, log),
  };
}

export type OpenPorts = ReturnType<typeof openPorts>;
