import { basename } from 'node:path';
import { clipboard } from 'electron';
import { fail, ok, type Result, usage } from '../../engine/core/errors.ts';
import type { Files } from '../../engine/core/ports.ts';
import { findFiles, foundFile } from '../../engine/queries/fileSearch.ts';
import { historyDays } from '../../engine/queries/history.ts';
import { uploadAgain } from '../../engine/queries/uploadAgain.ts';
import { itemPath } from '../../engine/queries/itemPages.ts';
import { isTextPath } from '../../engine/queries/pathOnDisk.ts';
import { kindByName } from '../../engine/watches/rule.ts';
import type { AppContext } from '../appContext.ts';
import { openPath, showInFolder } from '../system/desktop.ts';
import { pathToOpen } from '../system/pathToOpen.ts';
import { picture } from '../window/pictures.ts';
import { clipboardText } from './clipboardText.ts';
import type { Handlers } from './ipcServer.ts';
import { pictureOf } from './pictureOf.ts';

type EntryType = NonNullable<Awaited<ReturnType<Files['typeOf']>>>;

/** Opens what `toOpen` returns for a path without links; shows the path in its folder when that is null. Error: item.gone. */
async function openOrShow(
  files: Files,
  path: string,
  toOpen: (real: string, type: EntryType) => string | null,
): Promise<Result<null>> {
  // A link opens its target, so the target is checked.
  const real = await files.realPath(path);
  const type = real === null ? null : await files.typeOf(real);
  if (real === null || type === null) return fail('item.gone', { path });
  const target = toOpen(real, type);
  await (target === null ? showInFolder(path) : openPath(target));
  return ok(null);
}

/** Opens an image or a video in its default program. Anything else could itself be a program, so it is only shown in its folder. */
function openItem({ host }: AppContext, path: string): Promise<Result<null>> {
  return openOrShow(host.ports.files, path, (real, type) =>
    kindByName(real) !== null && type === 'file' ? real : null,
  );
}

/** Starts dragging those of the ledger's files that are still there. Errors: as dragOut. */
async function dragItems(context: AppContext, ids: readonly number[]): Promise<Result<null>> {
  const { store, ports } = context.host;
  const paths = ids.flatMap((id) => itemPath(store, id) ?? []);
  const real = await Promise.all(paths.map((path) => ports.files.realPath(path)));
  return dragOut(
    context,
    paths.filter((_, at) => real[at] !== null),
  );
}

async function withItem(
  context: AppContext,
  id: number,
  act: (path: string) => Promise<Result<null>>,
): Promise<Result<null>> {
  const path = itemPath(context.host.store, id);
  return path === null ? usage('no such file') : act(path);
}

/** Starts dragging files out of the window. Errors: item.gone when there are none, usage.invalid for a path that is not text. */
export function dragOut(context: AppContext, paths: readonly string[]): Result<null> {
  const window = context.window.current();
  const isOdd = paths.some((path) => !isTextPath(path));
  if (isOdd) {
    return usage('a file whose name is not valid text cannot be dragged; show it in its folder');
  }
  const [file, ...more] = paths;
  if (file === undefined || window === null) return fail('item.gone', { said: 'the files' });
  window.webContents.startDrag({ file, files: [file, ...more], icon: picture('window') });
  return ok(null);
}

async function toClipboard(text: string): Promise<void> {
  // A promise on the Chromium host, void on Electron.
  await Promise.resolve(clipboard.writeText(clipboardText(text)));
}

function copyHandlers(context: AppContext) {
  const { store } = context.host;
  return {
    'item.copy': async ({ ids, what }) => {
      const lines = ids.flatMap((id) => {
        const file = foundFile(store, id);
        if (file === null) return [];
        const text = { path: file.path, name: basename(file.path), hash: file.sha256 }[what];
        return text === null ? [] : [text];
      });
      if (lines.length > 0) await toClipboard(lines.join('\n'));
      return ok({ count: lines.length });
    },
    'text.copy': async ({ text }) => {
      await toClipboard(text);
      return ok(null);
    },
  } satisfies Partial<Handlers>;
}

export function fileHandlers(context: AppContext) {
  const { host } = context;
  const { store, selectedId } = host;
  return {
    ...copyHandlers(context),
    'item.thumbnail': async ({ id }) => {
      const path = itemPath(store, id);
      return ok(path === null ? null : await pictureOf(path, 'small'));
    },
    'item.show': async ({ id }) =>
      withItem(context, id, async (path) => {
        if ((await host.ports.files.typeOf(path)) === null) return fail('item.gone', { path });
        await showInFolder(path);
        return ok(null);
      }),
    'item.open': async ({ id }) => withItem(context, id, (path) => openItem(context, path)),
    'item.again': async ({ ids }) => {
      const again = await uploadAgain(store, host.ports.files, ids);
      // The user chose them explicitly, as with dropped files.
      context.allowed.allow(again.paths);
      return ok(again);
    },
    'item.detail': async ({ id }) => {
      const file = foundFile(store, id);
      return file === null ? usage('no such file') : ok(file);
    },
    // Only files from the ledger can be dragged out of the window: the page names them by id, never by path.
    'item.drag': async ({ ids }) => dragItems(context, ids),
    'file.search': async ({ search, limit }) => ok(findFiles(store, selectedId(), search, limit)),
    'history.days': async (query) => ok(historyDays(store, selectedId(), query)),
    'folder.open': async ({ path }) => {
      if (!(await context.allowed.has(path))) {
        return usage('Sluice does not use this folder');
      }
      return openOrShow(host.ports.files, path, (real, type) =>
        pathToOpen(real, type === 'directory', process.platform),
      );
    },
  } satisfies Partial<Handlers>;
}
