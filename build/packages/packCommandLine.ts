/** Makes the packages of the command line, and the list of what ships; prints each path with its size. */
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ROOT } from '../runStage.ts';
import { packDeb } from './deb.ts';
import { layOutHeadless, packArchive } from './headless.ts';
import { layOutNpm, packNpm } from './npm.ts';
import PROJECT from '../../package.json' with { type: 'json' };
import { ARCHITECTURES, runtimeFor } from './runtime.ts';
import { billOfMaterials } from './sbom.ts';

const DIST = join(ROOT, 'dist');

async function say(path: string): Promise<void> {
  const { size } = await stat(path);
  process.stdout.write(`✓ ${relative(ROOT, path)} (${(size / 1e6).toFixed(1)} MB)\n`);
}

function valueOf(words: readonly string[], option: string): string | undefined {
  return words.find((word) => word.startsWith(`${option}=`))?.slice(option.length + 1);
}

/**
 * The archive and the Debian package. `words` may name the processor (--arch=arm64), or a directory into which the files are put unpacked
 * instead, as the container needs them (--layout=DIR). Throws the tools' messages.
 */
export async function packHeadless(words: readonly string[]): Promise<void> {
  const named = valueOf(words, '--arch');
  const architecture = ARCHITECTURES.find((one) => one === (named ?? process.arch));
  if (architecture === undefined) {
    throw new Error(`--arch is one of ${ARCHITECTURES.join(', ')}, not ${named ?? process.arch}`);
  }
  const runtime = await runtimeFor(architecture);
  const layout = valueOf(words, '--layout');
  if (layout !== undefined) {
    await layOutHeadless(layout, runtime);
    return;
  }
  const scratch = await mkdtemp(join(tmpdir(), 'sluice-pack-'));
  try {
    const prefix = join(scratch, 'tree');
    await layOutHeadless(prefix, runtime);
    await say(await packArchive(prefix, DIST, architecture, 9));
    await say(await packDeb(prefix, DIST, architecture, ['-Zxz', '-z6']));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The package for npm, laid out in out/npm and packed. Throws npm's message. */
export async function packForNpm(): Promise<void> {
  const directory = join(ROOT, 'out/npm');
  await layOutNpm(directory);
  await say(await packNpm(directory, DIST));
}

/** The list of what ships, as a CycloneDX document in dist/. */
export async function packBillOfMaterials(): Promise<void> {
  const path = join(DIST, `sluice-${PROJECT.version}.cdx.json`);
  await mkdir(DIST, { recursive: true });
  await writeFile(path, `${JSON.stringify(await billOfMaterials(), null, 2)}\n`);
  await say(path);
}
