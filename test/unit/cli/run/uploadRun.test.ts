/** Which files and directories an upload is asked for. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { upload } from '../../../../main/cli/options/upload.ts';
import { readUploadRequest } from '../../../../main/cli/run/uploadRun.ts';
import { explain } from '../../../../preload/contract/messages.ts';
import { scratch } from '../../../helpers/scratch.ts';
import { contextOf } from '../commandContext.ts';

/** The error of an upload of this path, in words; null when there is none. */
async function refusalOf(path: string): Promise<string | null> {
  const context = contextOf(['--batch', 'cups'], upload.options ?? {});
  const request = await readUploadRequest(context, [path]);
  return request.ok ? null : explain(request.error).message;
}

test.skipIf(process.platform === 'win32')(
  'a path that exists, but cannot be looked at, is not said to be missing',
  async () => {
    const directory = scratch();
    const ring = join(directory, 'ring');
    symlinkSync(ring, ring);
    expect(await refusalOf(directory)).toBeNull();
    expect(await refusalOf(join(directory, 'none'))).toContain('no such file or directory');
    expect(await refusalOf(ring)).toContain('The link leads to no file');
    expect(await refusalOf(ring)).toContain(`(${ring}: ELOOP)`);
  },
);
