import { dialog } from 'electron';
import type { Result } from '../../../preload/contract/errors.ts';
import type { PathExplanation } from '../../../preload/contract/records.ts';
import type { WatchRule } from '../../../preload/contract/watchRule.ts';
import { closeBatchesOfWatch } from '../../engine/decisions/closeBatches.ts';
import { ok, usage } from '../../engine/core/errors.ts';
import { firstImages, placesOf, summarizeDrop } from '../../engine/uploads/chosenPaths.ts';
import { isKnownPath } from '../../engine/queries/itemPages.ts';
import { previewRule } from '../../engine/watches/preview.ts';
import { previewLedger } from '../../engine/watches/previewLedger.ts';
import {
  changeWatch,
  checkRule,
  enterWatch,
  pauseWatch,
  removeWatch,
  toRule,
  type Watch,
  watchById,
} from '../../engine/watches/registry.ts';
import { uploadBatchId } from '../../engine/uploads/pendingUploads.ts';
import { explainPath } from '../../engine/queries/why.ts';
import type { AppContext } from '../appContext.ts';
import type { Handlers } from './ipcServer.ts';
import { pictureOf } from './pictureOf.ts';
import { withConnection } from './withConnection.ts';
import type { EngineHost } from '../../engine/host/host.ts';

const TITLES = {
  watch: 'Choose the folder to watch',
  download: 'Choose where the results go',
  move: 'Choose where uploaded files are moved to',
  explain: 'Choose the file to check',
} as const;

const PREVIEW_MS = 30_000;
const SUMMARY_MS = 5_000;
/** How many pictures the first preview of a folder shows. */
const MAX_PICTURES = 12;

/** The answer for a path that the user never chose: it is not read. */
function unknownPath(path: string): PathExplanation {
  return {
    path,
    headline: 'Not uploaded: Sluice has never seen this file.',
    details: ['It is not in a watched folder. Watch its folder, or drop the file on the window.'],
  };
}

function directoriesOf(rule: WatchRule): readonly (string | null)[] {
  return [rule.directory, rule.link, rule.downloadTo, rule.moveTo];
}

/** Small pictures of the first images below a directory. */
async function picturesBelow(
  { ports, signal }: EngineHost,
  directory: string,
): Promise<Result<{ pictures: readonly { path: string; dataUrl: string }[] }>> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(SUMMARY_MS)]);
  const paths = await firstImages(ports.files, directory, MAX_PICTURES, bounded);
  const pictures = await Promise.all(
    paths.map(async (path) => ({ path, picture: await pictureOf(path, 'small') })),
  );
  return ok({
    pictures: pictures.flatMap(({ path, picture }) =>
      picture === null ? [] : [{ path, dataUrl: picture.dataUrl }],
    ),
  });
}

async function chooseDirectory(
  context: AppContext,
  purpose: keyof typeof TITLES,
): Promise<Result<{ path: string } | null>> {
  const window = context.window.current();
  if (window === null) return ok(null);
  const properties: ('openFile' | 'openDirectory' | 'createDirectory')[] =
    purpose === 'explain' ? ['openFile'] : ['openDirectory', 'createDirectory'];
  const answer = await dialog.showOpenDialog(window, { title: TITLES[purpose], properties });
  const [path] = answer.filePaths;
  if (answer.canceled || path === undefined) return ok(null);
  context.allowed.allow([path]);
  return ok({ path });
}

function watchHandlers({ host, allowed }: AppContext) {
  const { store, ports } = host;
  const changed = (done: Result<unknown>): Result<null> => {
    if (!done.ok) return done;
    host.reload();
    return ok(null);
  };
  const found = (id: number, act: (watch: Watch) => Result<null>): Result<null> => {
    const watch = watchById(store, id);
    return watch === null ? usage('no such watch') : act(watch);
  };
  return {
    'watch.add': ({ rule }) =>
      allowed.run(directoriesOf(rule), async () => {
        const selected = host.selected();
        if (selected === null) return usage('connect first');
        const added = await enterWatch(host, selected.id, rule);
        if (!added.ok) return added;
        host.reload();
        return ok({ id: added.value.id });
      }),
    'watch.edit': ({ id, rule }) =>
      allowed.run(directoriesOf(rule), async () =>
        changed(await changeWatch(host, id, toRule(rule))),
      ),
    'watch.remove': async ({ id, queued }) =>
      changed(removeWatch(store, id, queued, ports.clock.now())),
    'watch.pause': async ({ id, paused }) =>
      changed(pauseWatch(store, id, paused, ports.clock.now())),
    'watch.scan': async ({ id }) =>
      found(id, (watch) => {
        host.workingConnection(watch.connectionId)?.watching.watch(id)?.scanNow();
        return ok(null);
      }),
    'watch.seal': async ({ id }) =>
      found(id, () => {
        closeBatchesOfWatch(store, id, ports.clock.now());
        return changed(ok(null));
      }),
  } satisfies Partial<Handlers>;
}

export function uploadHandlers(context: AppContext) {
  const { host, allowed } = context;
  const { store, dataDirectory, ports } = host;
  return {
    ...watchHandlers(context),
    'directory.choose': async ({ purpose }) => chooseDirectory(context, purpose),
    'watch.preview': ({ rule, watchId }) =>
      allowed.run(directoriesOf(rule), async () => {
        const checked = await checkRule({ ports, dataDirectory, store }, rule, watchId);
        if (!checked.ok) return checked;
        const signal = AbortSignal.any([host.signal, AbortSignal.timeout(PREVIEW_MS)]);
        const watch = watchId === null ? null : watchById(store, watchId);
        const selectedId = watch?.connectionId ?? host.selectedId();
        const known = previewLedger(store, selectedId, watch?.destinationId ?? null);
        return ok(await previewRule(ports, checked.value, signal, watch?.addedAt ?? null, known));
      }),
    'directory.pictures': ({ path }) => allowed.run([path], () => picturesBelow(host, path)),
    'upload.summarize': ({ paths }) =>
      allowed.run(paths, async () => {
        const signal = AbortSignal.any([host.signal, AbortSignal.timeout(SUMMARY_MS)]);
        return ok(await summarizeDrop(ports.files, paths, signal));
      }),
    'upload.batchId': async ({ batch }) =>
      ok({ batchId: uploadBatchId(batch, '', ports.clock.now()) }),
    'upload.start': withConnection(host)(({ uploads }, { paths, batch, mode }) =>
      allowed.run(paths, async () => {
        const batchId = uploadBatchId(batch, paths[0] ?? '', ports.clock.now());
        if (batchId === null) return usage('the batch needs a letter or digit');
        const places = await placesOf(ports.files, paths);
        if (!places.ok) return places;
        uploads.add(batchId, places.value, mode);
        return ok({ batchId });
      }),
    ),
    'upload.cancel': withConnection(host)(async ({ uploads }, { destinationId }) => {
      if (!uploads.cancel(destinationId, ports.clock.now())) {
        return usage('its folders are still being read; try again in a moment');
      }
      host.reload();
      return ok(null);
    }),
    'uploads.pause': async ({ paused }) => {
      host.setPaused(paused);
      return ok(null);
    },
    'why.path': async ({ path }) => {
      const known = isKnownPath(store, path);
      if (!known && !(await allowed.has(path))) return ok(unknownPath(path));
      const scope = { batchId: null, now: ports.clock.now(), running: true };
      const why = await explainPath(store, ports.files, path, scope);
      return ok({ path: why.path, headline: why.headline, details: why.details });
    },
  } satisfies Partial<Handlers>;
}
