/** Requests about watches, dropped files and the line. */
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { dialog } from 'electron';
import type { Result } from '../../../preload/contract/errors.ts';
import type { WhyView } from '../../../preload/contract/records.ts';
import type { WatchRule } from '../../../preload/contract/watchRule.ts';
import { closeBatchesOfWatch } from '../../engine/queries/batchPages.ts';
import { fail, ok } from '../../engine/core/errors.ts';
import { lookAtHeld } from '../../engine/uploads/dropSummary.ts';
import { isKnownPath } from '../../engine/queries/itemPages.ts';
import { previewRule } from '../../engine/watches/preview.ts';
import {
  changeWatch,
  checkRule,
  enterWatch,
  pauseWatch,
  removeWatch,
  type Watch,
  watchById,
} from '../../engine/watches/registry.ts';
import { uploadBatchId } from '../../engine/uploads/pendingUploads.ts';
import { explainPath } from '../../engine/queries/why.ts';
import type { AppContext } from '../appContext.ts';
import type { Handlers } from './requestTypes.ts';

type Family = Pick<
  Handlers,
  | 'directory.choose'
  | 'watch.preview'
  | 'watch.add'
  | 'watch.edit'
  | 'watch.remove'
  | 'watch.pause'
  | 'watch.scan'
  | 'watch.seal'
  | 'upload.look'
  | 'upload.name'
  | 'upload.paths'
  | 'line.pause'
  | 'why.path'
>;

const TITLES = {
  watch: 'Choose the folder to watch',
  download: 'Choose where the results go',
  move: 'Choose where uploaded files are moved to',
} as const;

const PREVIEW_MS = 30_000;
const LOOK_MS = 5_000;

/** The places behind paths, or which one is not there. */
async function placesOf(
  paths: readonly string[],
): Promise<Result<readonly { path: string; root: string }[]>> {
  const places: { path: string; root: string }[] = [];
  for (const path of paths) {
    try {
      const directory = (await stat(path)).isDirectory();
      places.push({ path, root: directory ? path : dirname(path) });
    } catch {
      return fail('usage.invalid', { said: `there is nothing at ${path} any more` });
    }
  }
  return ok(places);
}

/** Refuses paths that no person dropped or chose. */
async function refuseStrangers(
  context: AppContext,
  paths: readonly string[],
): Promise<Result<null>> {
  for (const path of paths) {
    if (await context.allowed.has(path)) continue;
    return fail('usage.invalid', { said: `drop ${path} or choose it in the dialog` });
  }
  return ok(null);
}

/** The answer about a path that nobody named before: the window may not look there, and need not. */
function unheardOf(path: string): WhyView {
  return {
    path,
    headline: 'Not uploaded: Sluice has never come across this file.',
    details: ['It lies in no watched folder. Watch its folder, or drop the file on the window.'],
  };
}

/** Refuses a rule with a path that no person chose. */
async function refusePaths(context: AppContext, rule: WatchRule): Promise<Result<null>> {
  for (const path of [rule.directory, rule.downloadTo, rule.moveTo]) {
    if (path !== null && !(await context.allowed.has(path))) {
      return fail('usage.invalid', { said: `choose ${path} in the dialog` });
    }
  }
  return ok(null);
}

async function chooseDirectory(
  context: AppContext,
  purpose: keyof typeof TITLES,
): Promise<Result<{ path: string } | null>> {
  const window = context.window.current();
  if (window === null) return ok(null);
  const properties: ('openDirectory' | 'createDirectory')[] = ['openDirectory', 'createDirectory'];
  const answer = await dialog.showOpenDialog(window, { title: TITLES[purpose], properties });
  const [path] = answer.filePaths;
  if (answer.canceled || path === undefined) return ok(null);
  context.allowed.allow([path]);
  return ok({ path });
}

function watchHandlers(
  context: AppContext,
): Pick<
  Family,
  'watch.add' | 'watch.edit' | 'watch.remove' | 'watch.pause' | 'watch.scan' | 'watch.seal'
> {
  const { station } = context;
  const { store, ports } = station;
  const changed = (): Result<null> => {
    station.reload();
    return ok(null);
  };
  const found = (id: number, act: (watch: Watch) => Result<null>): Result<null> => {
    const watch = watchById(store, id);
    return watch === null ? fail('usage.invalid', { said: 'no such watch' }) : act(watch);
  };
  return {
    'watch.add': async ({ rule }) => {
      const refused = await refusePaths(context, rule);
      if (!refused.ok) return refused;
      const selected = station.selected();
      if (selected === null) return fail('usage.invalid', { said: 'connect first' });
      const added = await enterWatch(station, selected.id, rule);
      if (!added.ok) return added;
      station.reload();
      return ok({ id: added.value.id });
    },
    'watch.edit': async ({ id, rule }) => {
      const refused = await refusePaths(context, rule);
      if (!refused.ok) return refused;
      if (watchById(store, id) === null) return fail('usage.invalid', { said: 'no such watch' });
      const edited = await changeWatch(station, id, rule);
      return edited.ok ? changed() : edited;
    },
    'watch.remove': async ({ id, queued }) =>
      found(id, (watch) => {
        removeWatch(store, watch, queued, ports.clock.now());
        return changed();
      }),
    'watch.pause': async ({ id, paused }) =>
      found(id, (watch) => {
        pauseWatch(store, watch, paused, ports.clock.now());
        return changed();
      }),
    'watch.scan': async ({ id }) =>
      found(id, (watch) => {
        station.line(watch.connectionId)?.watching.watch(id)?.scanNow();
        return ok(null);
      }),
    'watch.seal': async ({ id }) =>
      found(id, () => {
        closeBatchesOfWatch(store, id, ports.clock.now());
        return changed();
      }),
  };
}

/** Handlers of watches, drops and the line. */
export function uploadHandlers(context: AppContext): Family {
  const { station, allowed } = context;
  const { store, dataDirectory, ports } = station;
  return {
    ...watchHandlers(context),
    'directory.choose': async ({ purpose }) => chooseDirectory(context, purpose),
    'watch.preview': async ({ rule }) => {
      const refused = await refusePaths(context, rule);
      if (!refused.ok) return refused;
      // Only the directory is known while the rest is being typed: overlaps are said when the watch is added.
      const checked = await checkRule({ ports, dataDirectory, store: null }, rule, null);
      if (!checked.ok) return checked;
      const signal = AbortSignal.any([station.signal, AbortSignal.timeout(PREVIEW_MS)]);
      return ok(await previewRule(ports, checked.value, signal));
    },
    'upload.look': async ({ paths }) => {
      const refused = await refuseStrangers(context, paths);
      if (!refused.ok) return refused;
      const signal = AbortSignal.any([station.signal, AbortSignal.timeout(LOOK_MS)]);
      return ok(await lookAtHeld(ports.files, paths, signal));
    },
    'upload.name': async ({ batch }) =>
      ok({ batchId: uploadBatchId(batch, '', ports.clock.now()) }),
    'upload.paths': async ({ paths, batch, mode }) => {
      const line = station.working();
      if (!line.ok) return line;
      const refused = await refuseStrangers(context, paths);
      if (!refused.ok) return refused;
      const batchId = uploadBatchId(batch, paths[0] ?? '', ports.clock.now());
      if (batchId === null)
        return fail('usage.invalid', { said: 'the batch needs a letter or digit' });
      const places = await placesOf(paths);
      if (!places.ok) return places;
      line.value.uploads.add(batchId, places.value, mode);
      return ok({ batchId });
    },
    'line.pause': async ({ paused }) => {
      station.pause(paused);
      return ok(null);
    },
    'why.path': async ({ path }) => {
      const known = isKnownPath(store, path);
      if (!known && !(await allowed.has(path))) return ok(unheardOf(path));
      const asked = { batchId: null, now: ports.clock.now() };
      const why = await explainPath(store, ports.files, path, asked);
      return ok({ path: why.path, headline: why.headline, details: why.details });
    },
  };
}
