import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeDataDirectory } from '../../../../main/engine/core/dataDirectory.ts';

let place: string;
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'sluice-data-'));
});
afterAll(() => rm(place, { recursive: true }));

describe('a data directory', () => {
  it('is made with all above it, for its owner alone', async () => {
    const path = join(place, 'a', 'b', 'c');
    makeDataDirectory(path);
    makeDataDirectory(path);
    expect([((await stat(path)).mode & 0o777).toString(8)]).toEqual(['700']);
  });

  it('that is there keeps its rights', async () => {
    const path = join(place, 'shared');
    await mkdir(path);
    await chmod(path, 0o755);
    makeDataDirectory(path);
    expect((await stat(path)).mode & 0o777).toBe(0o755);
  });

  it('that cannot be made says so, and never hangs', async () => {
    await writeFile(join(place, 'file'), '');
    await symlink(join(place, 'nowhere'), join(place, 'dangling'));
    const wrong = [join(place, 'file'), join(place, 'file', 'x'), join(place, 'dangling', 'x')];
    // Node's recursive mkdir loops for ever here.
    if (process.platform === 'linux') wrong.push('/proc/sluice/x');
    for (const path of wrong) {
      expect(() => makeDataDirectory(path), path).toThrow(
        expect.objectContaining({ error: expect.objectContaining({ code: 'disk.failed' }) }),
      );
    }
  });
});
