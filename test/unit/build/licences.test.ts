/** Every package in a bundle has its notice in the one file that ships. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BUNDLES, NATIVE } from '../../../build/bundles.ts';
import { licencesOf, LICENCES_FILE, writeLicences } from '../../../build/licences.ts';
import { scratch } from '../../helpers/scratch.ts';

test('the notices of all bundles and of what is native, each once', async () => {
  const root = scratch();
  for (const { name, out } of BUNDLES) {
    await mkdir(join(root, out), { recursive: true });
    const shared = {
      name: 'shared',
      version: '1.0.0',
      identifier: 'MIT',
      text: 'The shared text.',
    };
    const own = { name: `of-${name}`, version: '2.0.0', text: `Of ${name}.` };
    await writeFile(join(root, out, LICENCES_FILE), JSON.stringify([shared, own]));
  }
  for (const name of NATIVE) {
    const directory = join(root, 'node_modules', name);
    await mkdir(directory, { recursive: true });
    const manifest = { name, version: '3.0.0', license: 'ISC' };
    await writeFile(join(directory, 'package.json'), JSON.stringify(manifest));
    await writeFile(join(directory, 'LICENSE'), `Of ${name}.`);
  }
  await writeFile(join(root, 'LICENSE'), 'MIT License\n\nPermission is hereby granted: yes.\n');
  await writeLicences(root);
  const text = await readFile(join(root, 'out', 'licences.txt'), 'utf8');
  expect(text.match(/^shared 1\.0\.0, MIT\n\nThe shared text\.$/gm)).toHaveLength(1);
  for (const { name } of BUNDLES)
    expect(text).toContain(`of-${name} 2.0.0, see below\n\nOf ${name}.`);
  for (const name of NATIVE) expect(text).toContain(`${name} 3.0.0, ISC\n\nOf ${name}.`);
});

test('a package without the text of its licence: MIT is added, anything else is refused', async () => {
  const root = scratch();
  const bundle = { out: 'out/main' };
  await mkdir(join(root, bundle.out), { recursive: true });
  await writeFile(join(root, 'LICENSE'), 'MIT License\n\nPermission is hereby granted: yes.\n');
  const write = (identifier: string) => {
    const notice = { name: 'terse', version: '1.0.0', identifier };
    return writeFile(join(root, bundle.out, LICENCES_FILE), JSON.stringify([notice]));
  };
  await write('MIT');
  expect(await licencesOf(root, [bundle], [])).toBe(
    'terse 1.0.0, MIT\n\nMIT License\n\nCopyright (c) the authors of terse\n\nPermission is hereby granted: yes.\n',
  );
  await write('Apache-2.0');
  await expect(licencesOf(root, [bundle], [])).rejects.toThrow('terse');
});
