/** One handler for each request of the contract; a missing one is a compile error. */
import type { AppContext } from '../appContext.ts';
import { applicationHandlers } from './application.ts';
import { batchHandlers } from './batches.ts';
import { connectionHandlers } from './connections.ts';
import { fileHandlers } from './files.ts';
import { jobHandlers } from './jobs.ts';
import { problemHandlers } from './problems.ts';
import { projectHandlers } from './projects.ts';
import { resultHandlers } from './results.ts';
import type { Handlers } from './ipcServer.ts';
import { uploadHandlers } from './uploads.ts';

export function createHandlers(context: AppContext): Handlers {
  return {
    ...applicationHandlers(context),
    ...connectionHandlers(context),
    ...uploadHandlers(context),
    ...batchHandlers(context),
    ...fileHandlers(context),
    ...jobHandlers(context),
    ...resultHandlers(context),
    ...projectHandlers(context),
    ...problemHandlers(context),
  } satisfies Handlers;
}
