/**
 * `npm run pack`: builds, then lets electron-builder make the application's directory under dist/. With --installers, the platform's
 * installers too. With --headless, the command line for Linux instead (`--arch=arm64` for that processor); with --npm, for npm.
 * SLUICE_ELECTRON_DIST names an unpacked Electron where its download is forbidden.
 */
import { packForNpm, packHeadless } from './packages/packCommandLine.ts';
import { runProgram } from './runStage.ts';

const words = process.argv.slice(2);
if (words.includes('--headless')) await commandLine(() => packHeadless(words));
else if (words.includes('--npm')) await commandLine(packForNpm);
else await desktop();

async function commandLine(pack: () => Promise<void>): Promise<void> {
  const built = await runProgram(['build/build.ts', 'cli'], true);
  process.exitCode = built.code;
  if (built.code !== 0) return;
  try {
    await pack();
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
