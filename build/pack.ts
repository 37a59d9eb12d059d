/**
 * `npm run pack`: builds, then lets electron-builder make the application's directory under dist/. With --installers, the platform's
 * installers too. SLUICE_ELECTRON_DIST names an unpacked Electron where its download is forbidden.
 */
import { runProgram } from './runStage.ts';

const words = process.argv.slice(2);
const built = await runProgram(['build/build.ts'], true);
if (built.code === 0) {
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
} else process.exitCode = built.code;
