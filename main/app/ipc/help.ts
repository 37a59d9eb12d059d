/** Requests about the application itself: the snapshot, notices, links, what goes to support. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { app, clipboard, shell } from 'electron';
import { fail, ok } from '../../engine/core/errors.ts';
import { redact } from '../../engine/core/redact.ts';
import type { AppContext } from '../appContext.ts';
import type { Handlers } from './requestTypes.ts';

type Family = Pick<
  Handlers,
  | 'snapshot.get'
  | 'notice.dismiss'
  | 'support.preview'
  | 'support.copy'
  | 'link.open'
  | 'app.licences'
>;

/** The only addresses that are ever handed to the browser: pages of the service's own documentation. */
const LINKS = {
  'image-batches': 'https://docs.roboflow.com/developer/rest-api/list-image-batches',
  documentation: 'https://docs.roboflow.com/deploy/batch-processing/integration',
} as const;

const LOG_CHARACTERS = 20_000;

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return '';
  }
}

/** What a person can send to somebody who helps: the state and the end of the log, without secrets. */
async function supportText(context: AppContext): Promise<string> {
  const { runtime, connections, line, problems, watches } = context.snapshot();
  const state = {
    ...runtime,
    node: process.versions.node,
    connections: connections.map(({ state: how, workspace }) => ({ how, workspace })),
    counts: line.counts,
    hindrance: line.hindrance?.code ?? null,
    problems: problems.count,
    watches: watches.map(({ state: how, notice, counts }) => ({ how, notice, counts })),
  };
  const log = (await textOf(context.logPath)).slice(-LOG_CHARACTERS);
  return redact(`${JSON.stringify(state, null, 2)}\n\n${log}`);
}

/** Handlers of help. */
export function helpHandlers(context: AppContext): Family {
  return {
    'snapshot.get': async () => ok(context.snapshot()),
    'notice.dismiss': async ({ id }) => {
      context.notices.dismiss(id);
      return ok(null);
    },
    'support.preview': async () => ok({ text: await supportText(context) }),
    'support.copy': async () => {
      // A promise on the Chromium host, nothing on Electron.
      await Promise.resolve(clipboard.writeText(await supportText(context)));
      return ok(null);
    },
    'link.open': async ({ to }) => {
      if (to === 'image-batches' || to === 'documentation') await shell.openExternal(LINKS[to]);
      else if (to === 'log') shell.showItemInFolder(context.logPath);
      else await shell.openPath(context.station.dataDirectory);
      return ok(null);
    },
    'app.licences': async () => {
      const own = await textOf(join(app.getAppPath(), 'LICENSE'));
      const others = await textOf(join(app.getAppPath(), 'out', 'licences.txt'));
      const text = [own, others].filter((part) => part !== '').join('\n\n');
      return text === '' ? fail('item.gone', { said: 'the licences' }) : ok({ text });
    },
  };
}
