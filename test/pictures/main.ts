/** `npm run pictures`: pictures of every view of the real program, with 3,288 drawn images and a reference service. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureChromium } from '../../build/findChromium.ts';
import { ROOT, runProgram } from '../../build/runStage.ts';
import { connected, untilReady } from '../e2e/app/appSteps.ts';
import { type AppUnderTest, launchApp } from '../e2e/support/appUnderTest.ts';
import { createReferenceService } from '../service/referenceService.ts';
import { openCamera, PREPARING, shootForReadme } from './camera.ts';
import { busy, drawHome, empty, failing, firstRun, full, startUploads } from './scenes.ts';

const USAGE = `Usage: npm run pictures -- [--out=DIR] [--theme=light] [--size=1280x800,900x600] [--only=busy,settings] | --readme
Takes pictures of every view of the real program, into test-results/pictures. --readme: the README's picture alone, into docs/.
`;
if (process.argv.includes('--help')) {
  process.stdout.write(USAGE);
  process.exit();
}

function words(name: string): readonly string[] {
  const given = process.argv.find((word) => word.startsWith(`--${name}=`));
  return given?.slice(name.length + 3).split(',') ?? [];
}

function sizes(): readonly { readonly width: number; readonly height: number }[] {
  const given = words('size');
  const asked = given.length > 0 ? given : ['900x600', '1280x800', '1920x1080'];
  return asked.map((size) => {
    const [width = 1280, height = 800] = size.split('x').map(Number);
    return { width, height };
  });
}

const themes = (['light', 'dark'] as const).filter(
  (theme) => words('theme').length === 0 || words('theme').includes(theme),
);
const shoot = await openCamera({
  out: words('out')[0] ?? join(ROOT, 'test-results/pictures'),
  themes,
  sizes: sizes(),
  only: words('only'),
});
const chromium = await ensureChromium('windows');
if (!chromium.ok) throw new Error(chromium.why);
const built = await runProgram(['build/build.ts'], false);
if (built.code !== 0) throw new Error(built.output);

const base = await mkdtemp(join(tmpdir(), 'sluice-pictures-'));
// This path is visible in the pictures.
const home = await mkdtemp(join(tmpdir(), 'ana-'));
const forReadme = process.argv.includes('--readme');
const service = await createReferenceService({
  settings: { stageMs: 4000, queueMs: 1500, tasksPerStage: 12, indexingMs: 400 },
});
const running: AppUnderTest[] = [];

async function launch(name: string, env: Readonly<Record<string, string>>): Promise<AppUnderTest> {
  const app = await launchApp({ userDataDir: join(base, name), env: { ...env, HOME: home } });
  running.push(app);
  await app.page.setViewportSize(PREPARING);
  return app;
}

try {
  await drawHome(home, chromium.path);
  if (!forReadme) {
    const first = await launch('first', {});
    await firstRun({ app: first, service, shoot, home });
    await first.close();
  }
  const app = await launch('main', connected(service));
  await untilReady(app.page);
  const stage = { app, service, shoot, home };
  for (const act of forReadme ? [startUploads] : [empty, busy, failing, full]) await act(stage);
  // Uploads in progress would keep it open, so it is killed below.
  if (forReadme) await shootForReadme(app);
  else await app.close();
} finally {
  await Promise.all(running.map((app) => app.kill()));
  await service.close();
  for (const made of [base, home]) {
    await rm(made, { recursive: true, force: true, maxRetries: 5 });
  }
}
