/**
 * `npm test`: the checks, then the service, integration and end-to-end tests. With stage names as arguments, only those. Starts by saying
 * what it runs on; ends with the line "N passed, N failed" and exits with 1 when anything failed. Types, lint and format count as one
 * test each.
 */
import { describeRuntime } from './electronBinary.ts';
import { ensureChromium } from './findChromium.ts';
import { printEnd, runChecks } from './runChecks.ts';
import { runProgram, runStage, type StageEnd } from './runStage.ts';
import { BUILT, TEST_STAGES, type TestStage } from './stages.ts';

const names = process.argv.slice(2);
const known = ['check', ...TEST_STAGES.map((stage) => stage.name)];
const wrong = names.filter((name) => !known.includes(name));
if (wrong.length > 0) {
  process.stderr.write(`No such stage: ${wrong.join(', ')}. There are ${known.join(', ')}.\n`);
  process.exit(2);
}
const wanted = (name: string): boolean => names.includes(name) || names.length === 0;

let built: ReturnType<typeof runProgram> | null = null;
process.stdout.write(`${await describeRuntime()}\n`);
const ends: StageEnd[] = wanted('check') ? [...(await runChecks())] : [];
for (const stage of TEST_STAGES.filter(({ name }) => wanted(name))) {
  process.stdout.write(`\n—— ${stage.name} ——\n`);
  const end = stage.needs === undefined ? await runStage(stage, true) : await onBuild(stage);
  printEnd(end);
  ends.push(end);
}

const passed = ends.reduce((sum, end) => sum + end.passed, 0);
const failed = ends.reduce((sum, end) => sum + end.failed, 0);
process.exitCode = failed > 0 ? 1 : 0;
// Repeated at the end: early failures have scrolled far up, and a truncated log keeps its end.
for (const end of ends.filter((each) => each.failed > 0)) {
  process.stdout.write(`\n✗ ${[`${end.name} failed`, ...end.failures].join('\n\n  ')}\n`);
}
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);

/** Builds, once for all stages, and finds or installs a browser if one is needed, then runs the stage; each of these can fail it. */
async function onBuild(stage: TestStage): Promise<StageEnd> {
  const ended = (output: string): StageEnd => ({
    name: stage.name,
    passed: 0,
    failed: 1,
    skipped: 0,
    seconds: 0,
    output,
    failures: [],
  });
  const { code, output } = await (built ??= runProgram(['build/build.ts'], false, {
    NODE_ENV: 'production',
  }));
  if (code !== 0) return ended(output);
  if (stage.needs === 'build') return runStage(stage, true, { [BUILT]: '1' });
  const chromium = await ensureChromium('headless');
  if (!chromium.ok) return ended(chromium.why);
  return runStage(stage, true, { SLUICE_CHROMIUM: chromium.path });
}
