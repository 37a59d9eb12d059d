/**
 * `npm run pack`: builds, then lets electron-builder make the application's directory under dist/. With --installers, the platform's
 * installers too; with --headless, the command line for Linux instead (`--arch=arm64` for that processor).
 * SLUICE_ELECTRON_DIST names an unpacked Electron where its download is forbidden.
 */
import { packHeadless } from './packages/packHeadless.ts';
import { runProgram } from './runStage.ts';

const words = process.argv.slice(2);
if (words.includes('--headless')) await headless();
else await desktop();

async function headless(): Promise<void> {
  const built = await runProgram(['build/build.ts', 'cli'], true);
  process.exitCode = built.code;
  if (built.code !== 0) return;
  try {
    await packHeadless(words);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

async function desktop(): Promise<void> {
  const built = await runProgram(['build/build.ts'], true);
  process.exitCode = built.code;
  if (built.code !== 0) return;
  const dist = process.env['SLUICE_ELECTRON_DIST'];
  const packed = await runProgram(
    [
      'node_modules/electron-builder/cli.js',
      ...(words.includes('--installers') ? [] : ['--dir']),
      '--config=electron-builder.yml',
      '--publish=never',
      ...(dist === undefined ? [] : [`-c.electronDist=${dist}`]),
      ...words.filter((word) => word !== '--installers'),
    ],
    true,
  );
  process.exitCode = packed.code;
}
