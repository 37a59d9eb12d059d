/**
 * `npm run pack`: builds, then has electron-builder create the application's directory under dist/. With --installers, the platform's
 * installers too. With --headless, the command line for Linux instead (`--arch=arm64` for that processor); with --npm, for npm. With
 * --sbom, the list of what ships. SLUICE_ELECTRON_DIST names an unpacked Electron for when its download is blocked; SLUICE_UPDATES_URL is
 * where installed programs check for updates (unset: they do not).
 */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { electronBinary } from './electronBinary.ts';
import { packBillOfMaterials, packForNpm, packHeadless } from './packages/packCommandLine.ts';
import { runProgram } from './runStage.ts';

const words = process.argv.slice(2);
if (words.includes('--headless')) await packAfter(() => packHeadless(words), ['cli']);
else if (words.includes('--npm')) await packAfter(packForNpm, ['cli']);
else if (words.includes('--sbom')) await packAfter(packBillOfMaterials, []);
else await desktop();

/** Builds these bundles (all if none are named), then makes a package that does not need electron-builder. */
async function packAfter(pack: () => Promise<void>, bundles: readonly string[]): Promise<void> {
  const built = await runProgram(['build/build.ts', ...bundles], true);
  process.exitCode = built.code;
  if (built.code !== 0) return;
  try {
    await pack();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

/**
 * The arguments that tell electron-builder about Electron; null when there is none. Otherwise it would fail after a minute, with a stack
 * trace.
 */
async function electronArgs(): Promise<readonly string[] | null> {
  const named = process.env['SLUICE_ELECTRON_DIST'];
  if (named !== undefined) return existsSync(named) ? [`-c.electronDist=${named}`] : null;
  const binary = await electronBinary(true);
  if (binary === null) return null;
  // Installers may be for other processors: electron-builder downloads Electron for those, which the check above has shown to work.
  return words.includes('--installers') || process.platform === 'darwin'
    ? []
    : [`-c.electronDist=${dirname(binary)}`];
}

async function desktop(): Promise<void> {
  const electron = await electronArgs();
  if (electron === null) {
    process.stderr.write(
      'Electron is not here and could not be downloaded: unpack its archive for this platform and name that directory in SLUICE_ELECTRON_DIST, or pack the command line alone with --headless or --npm.\n',
    );
    process.exitCode = 1;
    return;
  }
  const built = await runProgram(['build/build.ts'], true);
  process.exitCode = built.code;
  if (built.code !== 0) return;
  const updates = process.env['SLUICE_UPDATES_URL'];
  const packed = await runProgram(
    [
      'node_modules/electron-builder/cli.js',
      ...(words.includes('--installers') ? [] : ['--dir']),
      '--config=electron-builder.yml',
      '--publish=never',
      ...electron,
      ...(updates === undefined
        ? []
        : ['-c.publish.provider=generic', `-c.publish.url=${updates}`]),
      ...words.filter((word) => word !== '--installers'),
    ],
    true,
  );
  process.exitCode = packed.code;
}
