import type { Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { clipboard, shell } from 'electron';
import { fail, ok, type Result, usage } from '../../engine/core/errors.ts';
import { findFiles, foundFile } from '../../engine/queries/fileSearch.ts';
import { historyDays } from '../../engine/queries/history.ts';
import { uploadAgain } from '../../engine/queries/uploadAgain.ts';
import { itemPath } from '../../engine/queries/itemPages.ts';
import { kindByName } from '../../engine/watches/rule.ts';
import type { AppContext } from '../appContext.ts';
import { pathToOpen } from '../system/pathToOpen.ts';
import { picture } from '../window/pictures.ts';
import type { Handlers } from './ipcServer.ts';
import { pictureOf } from './pictureOf.ts';

/** Opens what `toOpen` returns for a path without links; shows the path in its folder when that is null. Error: item.gone. */
async function openOrShow(
  path: string,
  toOpen: (real: string, facts: Stats) => string | null,
): Promise<Result<null>> {
  try {
    // A link opens its target, so the target is checked.
    const real = await realpath(path);
    const target = toOpen(real, await stat(real));
    if (target === null) shell.showItemInFolder(path);
    else await shell.openPath(target);
    return ok(null);
  } catch {
    return fail('item.gone', { path });
  }
}

/** Opens an image or a video in its default program. Anything else could itself be a program, so it is only shown in its folder. */
function openItem(path: string): Promise<Result<null>> {
  return openOrShow(path, (real, facts) =>
    kindByName(real) !== null && facts.isFile() ? real : null,
  );
}

async function existing(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(paths.map((path) => stat(path).catch(() => null)));
  return paths.filter((_, at) => found[at] !== null);
}

async function withItem(
  context: AppContext,
  id: number,
  act: (path: string) => Promise<Result<null>>,
): Promise<Result<null>> {
  const path = itemPath(context.host.store, id);
  return path === null ? usage('no such file') : act(path);
}

/** Starts dragging files out of the window. Error: item.gone when there are none. */
export function dragOut(context: AppContext, [file, ...more]: readonly string[]): Result<null> {
  const window = context.window.current();
  if (file === undefined || window === null) return fail('item.gone', { said: 'the files' });
  window.webContents.startDrag({ file, files: [file, ...more], icon: picture('window') });
  return ok(null);
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
      // A promise on the Chromium host, void on Electron.
      if (lines.length > 0) await Promise.resolve(clipboard.writeText(lines.join('\n')));
      return ok({ count: lines.length });
    },
    'text.copy': async ({ text }) => {
      await Promise.resolve(clipboard.writeText(text));
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
        shell.showItemInFolder(path);
        return ok(null);
      }),
    'item.open': async ({ id }) => withItem(context, id, openItem),
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
    'item.drag': async ({ ids }) =>
      dragOut(context, await existing(ids.flatMap((id) => itemPath(store, id) ?? []))),
    'file.search': async ({ search, limit }) => ok(findFiles(store, selectedId(), search, limit)),
    'history.days': async (query) => ok(historyDays(store, selectedId(), query)),
    'folder.open': async ({ path }) => {
      if (!(await context.allowed.has(path))) {
        return usage('Sluice does not use this folder');
      }
      return openOrShow(path, (real, facts) =>
        pathToOpen(real, facts.isDirectory(), process.platform),
      );
    },
  } satisfies Partial<Handlers>;
}
