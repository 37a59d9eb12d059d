/** The desktop application: connects the engine's ports and the window. */
import { join } from 'node:path';
import process from 'node:process';
import { startApp } from './app/startApp.ts';
import { createFiles } from './engine/files/nodeFiles.ts';
import { createPool } from './engine/files/pool/threadPool.ts';
import { proxyFromEnvironment } from './engine/service/http/proxy.ts';
import { openLogFile } from './logFile.ts';
import { closePorts, createNodePorts } from './nodePorts.ts';

/** The worker next to this file: source when run from a checkout, bundled when built. */
const WORKER_URL = import.meta.url.endsWith('.ts')
  ? new URL('./engine/files/pool/fileWorker.ts', import.meta.url)
  : new URL('./fileWorker.js', import.meta.url);

// As in cli.ts.
process.env['UV_THREADPOOL_SIZE'] ??= '32';

startApp({
  environment: process.env,
  mainDirectory: import.meta.dirname,
  proxyFromEnvironment: proxyFromEnvironment(process.env),
  createPorts: (dataDirectory, routesFor) => {
    const log = openLogFile(dataDirectory, 'info', null);
    const pool = createPool({ workerUrl: WORKER_URL });
    const ports = createNodePorts(createFiles(pool), log, process.env, routesFor);
    return {
      ports,
      logPath: join(dataDirectory, 'logs', 'sluice.log'),
      reset: () => ports.http.reset(),
      close: () => closePorts(ports, log),
    };
  },
});
