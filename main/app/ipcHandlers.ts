/** One handler for each request of the contract; the compiler demands every one. */
import type { AppContext } from './appContext.ts';
import { batchHandlers } from './handleBatches.ts';
import { connectionHandlers } from './handleConnections.ts';
import { helpHandlers } from './handleHelp.ts';
import { jobHandlers } from './handleJobs.ts';
import { problemHandlers } from './handleProblems.ts';
import { projectHandlers } from './handleProjects.ts';
import { settingsHandlers } from './handleSettings.ts';
import type { Handlers } from './requestTypes.ts';
import { uploadHandlers } from './handleUploads.ts';

/** Puts the handlers together. */
export function createHandlers(context: AppContext): Handlers {
  return {
    ...connectionHandlers(context),
    ...uploadHandlers(context),
    ...batchHandlers(context),
    ...jobHandlers(context),
    ...projectHandlers(context),
    ...problemHandlers(context),
    ...settingsHandlers(context),
    ...helpHandlers(context),
  } satisfies Handlers;
}
