/** Another program touches the part of a small file between two steps of writing it. */
import fs, { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SYNC_CALLS, ASYNC_CALLS } from '../../../../../main/engine/files/write/writeCalls.ts';
import { writeWhole } from '../../../../../main/engine/files/write/writeWhole.ts';
import { scratch } from '../../../../helpers/scratch.ts';
import { codeOf, valueOf } from '../../../../helpers/results.ts';

interface Others {
  readonly beforeLink?: (part: string) => void;
  readonly afterLink?: (part: string, path: string) => void;
}

const AT_LINK = { blocking: SYNC_CALLS, 'without blocking': ASYNC_CALLS } as const;

/** Writes a file while another program acts around the moment in which it gets its name. */
function writeAmong(
  way: keyof typeof AT_LINK,
  directory: string,
  others: Others,
): ReturnType<typeof writeWhole> {
  const { linkSync } = fs;
  const { link } = fs.promises;
  onTestFinished(() => {
    fs.linkSync = linkSync;
    fs.promises.link = link;
    syncBuiltinESMExports();
  });
  fs.linkSync = (part, path) => {
    others.beforeLink?.(String(part));
    linkSync(part, path);
    others.afterLink?.(String(part), String(path));
  };
  fs.promises.link = async (part, path) => {
    others.beforeLink?.(String(part));
    await link(part, path);
    others.afterLink?.(String(part), String(path));
  };
  syncBuiltinESMExports();
  const path = join(directory, 'a.csv');
  return writeWhole(path, `${path}.part`, Buffer.from('mine'), { replace: false }, AT_LINK[way]);
}

describe.each(['blocking', 'without blocking'] as const)('%s', (way) => {
  test('a part that was removed after it got its name is no failure', async () => {
    const directory = scratch();
    const written = await writeAmong(way, directory, { afterLink: (part) => rmSync(part) });
    expect(valueOf(written)).toMatchObject({ kind: 'written' });
    expect(readdirSync(directory)).toEqual(['a.csv']);
  });

  test('a part that was replaced before it got its name is not taken for the file', async () => {
    const beforeLink = (part: string): void => {
      writeFileSync(`${part}.new`, 'else');
      renameSync(`${part}.new`, part);
    };
    expect(codeOf(await writeAmong(way, scratch(), { beforeLink }))).toBe('file.busy');
  });

  test('where a second name counts as another file, equal content is the file', async () => {
    const afterLink = (part: string, path: string): void => {
      rmSync(path);
      writeFileSync(path, readFileSync(part));
    };
    expect(valueOf(await writeAmong(way, scratch(), { afterLink }))).toMatchObject({
      kind: 'written',
    });
  });
});
