/** The oldest supported Node is stated in several places, some of which cannot import anything: they agree. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { judgeNode } from '../../../main/engine/doctor/checks.ts';

const ROOT = join(import.meta.dirname, '../../..');
const OLDEST = '22.22';
const OURS = '24';

function textOf(path: string): Promise<string> {
  return readFile(join(ROOT, path), 'utf8');
}

test('the oldest Node that runs Sluice', async () => {
  expect(JSON.parse(await textOf('package.json')).engines).toEqual({ node: `>=${OLDEST}` });
  expect(await textOf('build/nodeBundle.ts')).toContain(`target: 'node${OLDEST}'`);
  expect(await textOf('build/launcher.mjs')).toContain(
    'major > 22 || (major === 22 && minor >= 22)',
  );
  expect(await textOf('build/installed.mjs')).toContain(`Node ${OLDEST} or newer`);
  expect(await textOf('README.md')).toContain(`Node ${OLDEST} or newer`);
  expect(judgeNode('22.21.9').state).toBe('bad');
  expect(judgeNode(`${OLDEST}.0`).state).toBe('ok');
});

test('the Node that a checkout brings along and is developed with', async () => {
  const { optionalDependencies } = JSON.parse(await textOf('package.json'));
  const versions = Object.values<string>(optionalDependencies);
  expect(versions).toHaveLength(3);
  for (const version of versions) expect(version.split('.')[0]).toBe(OURS);
  expect(new Set(versions).size).toBe(1);
  expect((await textOf('.node-version')).trim()).toBe(OURS);
});
