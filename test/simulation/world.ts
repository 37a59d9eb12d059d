/** One seed from its first event to its last: the world is created, runs through its plan, and is checked. */
import type { Ports } from '../../main/engine/core/ports.ts';
import { checkEnd } from './checks.ts';
import { createDice } from './dice.ts';
import { createComputer, type Computer, type Ground, type Program } from './computer.ts';
import { createLedgerFiles } from './ledgerFiles.ts';
import { createModelService } from './modelService.ts';
import { type ComputerPlan, drawPlan, ROOT } from './plan.ts';
import { fetchProgram, uploadProgram } from './programs.ts';
import { editResult } from './resultEdits.ts';
import { watchProgram } from './watchProgram.ts';
import { presentIn } from './serviceState.ts';
import { createTimeline, type Timeline } from './timeline.ts';
import { createTrace } from './trace.ts';
import { checkWaits } from './waitChecks.ts';
import { createWeather } from './weather.ts';

export interface SeedOptions {
  readonly keepTrace?: boolean;
  /** Breaks something on purpose. */
  readonly sabotage?: (ports: Ports) => Ports;
}

const LIMIT_MS = 60 * 86_400_000;
/** Runs of the same command after everything calmed down; the promises must hold after them. */
const CALM_RUNS = 6;
const CALM_PAUSE_MS = 60 * 60_000;
const WAIT_CHECK_MS = 20 * 60_000;
/** Time for whatever is still in progress on the service. */
const AFTER_MS = 10 * 60_000;

function sleep(timeline: Timeline, ms: number): Promise<void> {
  return new Promise((resolve) => timeline.after(ms, resolve));
}

function scheduleEdits(ground: Ground, computer: Computer): void {
  const { timeline, trace } = ground;
  const { disk, plan, wall } = computer;
  disk.makeDirectory(ROOT);
  for (const { at, path, content, from } of plan.edits) {
    const act = (): void => {
      const what = content === null ? 'deletes' : from === undefined ? 'writes' : 'renames to';
      trace.note(`${plan.name} user ${what} ${path}`);
      if (from !== undefined) disk.move('user', from, path);
      else if (content === null) disk.remove('user', path);
      else disk.write('user', path, content);
    };
    if (at === 0) act();
    else timeline.after(at, act);
  }
  for (const { at, ms } of plan.jumps) timeline.after(at, () => wall.jump(ms));
}

/** Another program also fills the batch. */
function scheduleStrangers({ timeline, plan, service, trace }: Ground): void {
  const { state } = service;
  const [first] = plan.computers;
  if (first === undefined) return;
  for (const { at, name, content, contentType, mode } of plan.strangers) {
    const act = (): void => {
      const type = mode === 'bulk' ? 'sharded-batch' : 'simple-batch';
      const batch = state.batch(first.batch, contentType, type);
      trace.note(`stranger puts ${name} into ${batch.id}`);
      if (mode === 'single') {
        const same = presentIn(batch).filter((file) => file.name === name);
        // Only replaces what existed before: see the known limits in checks.ts.
        if (same.length > 0 && plan.character.sameName !== 'both') return;
        state.store(batch, { name, bytes: content, writer: 'stranger', shardId: null });
        return;
      }
      const id = `shard-s${batch.shards.length}`;
      const stored = state.store(batch, { name, bytes: content, writer: 'stranger', shardId: id });
      batch.shards.push({
        id,
        registeredAt: state.now(),
        arrivedAt: state.now(),
        indexedAt: stored.listedAt,
        members: 1,
        rejected: [],
      });
    };
    if (at === 0) act();
    else timeline.after(at, act);
  }
}

/** What a computer runs next: an upload, a watch until it calms down, and `watch run --once` from then on. */
function nextProgram({ timeline, plan }: Ground, { plan: own }: Computer, number: number): Program {
  if (own.watch === null || (own.mixesPrograms && number % 2 === 1)) return uploadProgram(own);
  const now = timeline.now();
  const until = now >= plan.calmAt ? null : Math.min(plan.calmAt, now + plan.longestWatchMs);
  return watchProgram({ watch: own.watch, now: timeline.now, until });
}

/** What happens on a computer between two processes. */
function between({ trace }: Ground, computer: Computer, number: number): void {
  const { ledgerLostAfter, resultEdits } = computer.plan;
  const edit = resultEdits[number - 1];
  if (edit !== undefined) editResult(computer, edit, trace);
  if (ledgerLostAfter === number) computer.loseLedger();
}

/** A person fetches the results once more, to the same place: changed files stay, and deleted files come back. */
async function fetchAgain(ground: Ground, computer: Computer): Promise<readonly string[]> {
  const { trace, service } = ground;
  if (!computer.plan.fetchesAgain) return [];
  const { batches } = service.state;
  const end = await computer.run(fetchProgram((batchId) => batches.has(batchId)));
  trace.note(`${computer.plan.name} fetches again: ${JSON.stringify(end)}`);
  if (end.kind !== 'ended' || end.word !== 'fetched')
    return [`${computer.plan.name}: results cannot be fetched again: ${JSON.stringify(end)}`];
  for (const { files } of batches.values())
    for (const { hash } of files) computer.spoiled.delete(hash);
  return [];
}

/** Runs the same command again and again, as a person or a supervisor would, until it settles in good weather. */
async function supervise(ground: Ground, computer: Computer, problems: string[]): Promise<void> {
  const { timeline, plan, trace } = ground;
  const { kills, downMs, startAt } = computer.plan;
  const { calmAt } = plan;
  await sleep(timeline, startAt);
  let calmRuns = 0;
  let settledRuns = 0;
  for (let number = 0; ; number += 1) {
    if (number > 0) between(ground, computer, number);
    const isCalm = timeline.now() >= calmAt;
    const life = kills[number] ?? null;
    const callOff =
      life === null || timeline.now() + life >= calmAt
        ? () => undefined
        : timeline.after(life, () => computer.kill());
    const end = await computer.run(nextProgram(ground, computer, number));
    callOff();
    const word =
      end.kind === 'ended' ? end.word : end.kind === 'failed' ? end.error.code : end.kind;
    trace.note(`${computer.plan.name} ends: ${word}`);
    if (end.kind === 'failed' && /^(bug|store)\./.test(end.error.code))
      problems.push(`${computer.plan.name}: ${JSON.stringify(end.error)}`);
    // Twice, as a careful person would: the second run has nothing to do except to retry what was given up because of the service.
    if (isCalm && word === 'settled' && (settledRuns += 1) >= 2) {
      problems.push(...(await fetchAgain(ground, computer)));
      return;
    }
    if (isCalm && (calmRuns += 1) >= CALM_RUNS) {
      problems.push(`${computer.plan.name}: does not settle in good weather, ends with ${word}`);
      return;
    }
    // After everything has calmed down, the next run waits for that.
    const settled = word === 'settled';
    const down = isCalm ? Math.min(downMs, CALM_PAUSE_MS) : downMs;
    const pause = settled ? Math.max(down, calmAt - timeline.now()) : down;
    await sleep(timeline, pause);
  }
}

export async function runSeed(seed: number, options: SeedOptions = {}) {
  const plan = drawPlan(seed);
  const dice = createDice(`world ${seed}`);
  const timeline = createTimeline();
  const trace = createTrace(timeline.now, options.keepTrace ?? false);
  const ledgers = createLedgerFiles();
  const service = createModelService(timeline, plan.character, dice.stream('service'));
  const weather = createWeather(dice.stream('weather'), timeline.now, plan);
  const sabotage = options.sabotage ?? ((ports: Ports): Ports => ports);
  const ground: Ground = { timeline, plan, service, weather, trace, ledgers, sabotage };
  const problems: string[] = [];
  const computers = plan.computers.map((one: ComputerPlan) =>
    createComputer(ground, one, dice.stream(one.name)),
  );
  try {
    for (const computer of computers) scheduleEdits(ground, computer);
    scheduleStrangers(ground);
    let over = false;
    const lookAtWaits = (): void => {
      for (const computer of computers) problems.push(...checkWaits(computer));
      if (!over) timeline.after(WAIT_CHECK_MS, lookAtWaits);
    };
    timeline.after(WAIT_CHECK_MS, lookAtWaits);
    const lives = computers.map((computer) => supervise(ground, computer, problems));
    void Promise.all(lives).then(async () => {
      await sleep(timeline, AFTER_MS);
      over = true;
    });
    await timeline.run(() => over, LIMIT_MS);
    for (const computer of computers) problems.push(...checkEnd(ground, computer));
    problems.push(...service.state.violations);
  } catch (error) {
    problems.push(
      `it broke: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    for (const computer of computers) computer.kill();
  } finally {
    ledgers.clear();
  }
  return {
    seed,
    plan,
    /** What went wrong, in words; empty if every promise held. */
    problems: [...new Set(problems)],
    trace: trace.lines(),
    /** Equal for two identical runs. */
    digest: trace.digest(),
    events: timeline.events(),
    virtualMs: timeline.now(),
  };
}
