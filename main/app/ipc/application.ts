/** Requests about the application itself: the snapshot, notices, settings, links, the support report. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { app, shell } from 'electron';
import { preferencesSchema } from '../../../preload/contract/settings.ts';
import { fail, ok } from '../../engine/core/errors.ts';
import { redact } from '../../engine/core/redact.ts';
import { writeEngineSettings } from '../../engine/settings/engineSettings.ts';
import type { AppContext } from '../appContext.ts';
import type { Handlers } from './ipcServer.ts';

/** The only addresses that open in the browser: pages of the service's documentation. */
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

/** A report for support: the state and the end of the log, without secrets. */
async function supportText(context: AppContext): Promise<string> {
  const { runtime, connections, pipeline, problems, watches } = context.snapshot();
  const facts = {
    ...runtime,
    node: process.versions.node,
    connections: connections.map(({ state, workspace }) => ({ state, workspace })),
    counts: pipeline.counts,
    blockedBy: pipeline.blockedBy?.code ?? null,
    problems: problems.count,
    watches: watches.map(({ state, notice, counts }) => ({ state, notice, counts })),
  };
  const log = (await textOf(context.logPath)).slice(-LOG_CHARACTERS);
  return redact(`${JSON.stringify(facts, null, 2)}\n\n${log}`);
}

export function applicationHandlers(context: AppContext) {
  const { host, settingsFile } = context;
  return {
    'snapshot.get': async () => ok(context.snapshot()),
    'notice.dismiss': async ({ id }) => {
      context.notices.dismiss(id);
      return ok(null);
    },
    'settings.save': async (settings) => {
      const written = writeEngineSettings(host.store, settings);
      if (!written.ok) return written;
      host.reload();
      settingsFile.write(preferencesSchema().parse(settings));
      await context.applySettings();
      return ok(null);
    },
    'webhook.test': async () => {
      await host.receiver.apply(host.settings());
      return ok(host.receiver.state());
    },
    'support.preview': async () => ok({ text: await supportText(context) }),
    'link.open': async ({ to }) => {
      if (to === 'image-batches' || to === 'documentation') await shell.openExternal(LINKS[to]);
      else if (to === 'log') shell.showItemInFolder(context.logPath);
      else await shell.openPath(host.dataDirectory);
      return ok(null);
    },
    'app.licences': async () => {
      const own = await textOf(join(app.getAppPath(), 'LICENSE'));
      const others = await textOf(join(app.getAppPath(), 'out', 'licences.txt'));
      const text = [own, others].filter((part) => part !== '').join('\n\n');
      return text === '' ? fail('item.gone', { said: 'the licences' }) : ok({ text });
    },
  } satisfies Partial<Handlers>;
}
