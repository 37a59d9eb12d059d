/** Several processes act as several machines: each sends its part of one source, some are killed, and others take over their parts. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { tinyImages } from '../helpers/media.ts';
import { CHARACTER_TIMES } from './characters.ts';
import { type Child, startProcess } from './childCli.ts';
import { type Bench, eventsOf, runCommand } from './cliRun.ts';
import { sha256 } from './localFiles.ts';
import { createRandom, type SeededRandom } from './random.ts';

const BATCH = 'shared';
const DIRECTORIES = 25;

export interface MachinesPlan {
  readonly machines: number;
  readonly files: number;
  /** How many machines are killed, each at a time drawn from the seed. */
  readonly killed: number;
  /** The last request, counted over all machines, at which one of them may be killed. */
  readonly lastKill: number;
  readonly seed: number;
}

/** Names repeat across the directories; contents do not. Returns the hashes. */
async function writeSource(directory: string, files: number): Promise<readonly string[]> {
  const hashes: string[] = [];
  for (const { name, content } of tinyImages(files)) {
    const place = join(directory, `cam-${hashes.length % DIRECTORIES}`);
    if (hashes.length < DIRECTORIES) await mkdir(place, { recursive: true });
    const frame = `frame-${Math.floor(hashes.length / DIRECTORIES)}${name.slice(-4)}`;
    await writeFile(join(place, frame), content);
    hashes.push(sha256(content));
  }
  return hashes;
}

function sourceOf(bench: Bench): string {
  return join(bench.directory, 'source');
}

function environmentOf(bench: Bench, machine: string): Readonly<Record<string, string>> {
  return {
    SLUICE_API_URL: bench.service.url,
    SLUICE_API_KEY: bench.service.apiKey,
    SLUICE_DATA_DIR: join(bench.directory, machine),
    SLUICE_TEST_TIMES: JSON.stringify(CHARACTER_TIMES),
    NODE_ENV: 'test',
  };
}

/** A machine to kill, at which request to the service, and how long after it. */
interface Victim {
  readonly part: number;
  readonly request: number;
  readonly thenMs: number;
}

function drawVictims(plan: MachinesPlan, random: SeededRandom): readonly Victim[] {
  const parts = Array.from({ length: plan.machines }, (_, part) => part);
  return Array.from({ length: plan.killed }, () => {
    const [part = 0] = parts.splice(random.whole(0, parts.length - 1), 1);
    return { part, request: random.whole(1, plan.lastKill), thenMs: random.whole(0, 100) };
  });
}

/** Kills the machine at its time; it may finish before that. Returns what happened, in words. */
async function killAtMoment(bench: Bench, child: Child, victim: Victim): Promise<string> {
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const { requests } = bench.service.log;
  let isOver = false;
  void child.ended.then(() => (isOver = true));
  while (requests.length < victim.request && !isOver) await pause(2);
  if (!isOver) await pause(victim.thenMs);
  child.process.kill('SIGKILL');
  const { exitCode } = await child.ended;
  const how = exitCode === null ? 'killed' : 'done before it was killed';
  return `machine ${victim.part} ${how} at request ${requests.length}`;
}

/** A part that was sent completely: by which machine, and how that ended. */
interface PartEnd {
  readonly machine: string;
  readonly end: Awaited<Child['ended']>;
  readonly kill: string | null;
}

async function sendPart(
  bench: Bench,
  plan: MachinesPlan,
  part: number,
  victim: Victim | undefined,
): Promise<PartEnd> {
  const share = `${part}/${plan.machines}`;
  const words = ['upload', sourceOf(bench), '--batch', BATCH, '--part', share, '--json'];
  const start = (machine: string) => startProcess(words, environmentOf(bench, machine));
  const machine = `machine-${part}`;
  const child = start(machine);
  if (victim === undefined) return { machine, end: await child.ended, kill: null };
  const kill = await killAtMoment(bench, child, victim);
  const elsewhere = `${machine}-elsewhere`;
  return { machine: elsewhere, end: await start(elsewhere).ended, kill };
}

async function writeReceipt(bench: Bench, machine: string, form: 'csv' | 'json'): Promise<string> {
  const words = ['batch', 'receipt', BATCH, ...(form === 'csv' ? ['--csv'] : [])];
  const data = join(bench.directory, machine);
  const printed = await runCommand(words, data, {}, { json: form === 'json' });
  expect(printed.exitCode, printed.stderr).toBe(0);
  const file = join(bench.directory, `${machine}.${form}`);
  await writeFile(file, printed.stdout);
  return file;
}

/** Merges receipts into a CSV file, and compares them with the source. */
async function mergeReceipts(bench: Bench, files: readonly string[], to: string) {
  const words = ['batch', 'receipt', '--merge', ...files, '--against', sourceOf(bench)];
  const asCsv = await bench.sluice([...words, '--csv']);
  const merged = join(bench.directory, to);
  await writeFile(merged, asCsv.stdout);
  return { merged, asCsv, asJson: await bench.sluice(words, { json: true }) };
}

async function checkReceipts(bench: Bench, plan: MachinesPlan, machines: readonly string[]) {
  const receipts: string[] = [];
  for (const [index, machine] of machines.entries()) {
    receipts.push(await writeReceipt(bench, machine, index % 2 === 0 ? 'csv' : 'json'));
  }
  const figures = { files: plan.files, confirmed: plan.files, open: 0, repeatedContents: 0 };
  const whole = await mergeReceipts(bench, receipts, 'whole.csv');
  // The merged file is itself a receipt.
  const again = await mergeReceipts(bench, [whole.merged], 'again.csv');
  for (const { asCsv, asJson } of [whole, again]) {
    expect(asJson.exitCode, asJson.stderr).toBe(0);
    expect(eventsOf(asJson.stdout).at(-1)).toMatchObject({ data: { ...figures, missing: [] } });
    expect(asCsv.exitCode, asCsv.stderr).toBe(0);
  }
  expect(again.asCsv.stdout).toBe(whole.asCsv.stdout);
  const incomplete = await mergeReceipts(bench, receipts.slice(1), 'incomplete.csv');
  expect(incomplete.asCsv.exitCode).toBe(3);
}

/**
 * Carries out the plan. Each killed machine is replaced by one with an empty ledger. Checks that the service has every content
 * once, and that the receipts of the machines prove it.
 */
export async function runMachines(bench: Bench, plan: MachinesPlan) {
  const hashes = await writeSource(sourceOf(bench), plan.files);
  const victims = drawVictims(plan, createRandom(plan.seed));
  const startedAt = performance.now();
  const ends = await Promise.all(
    Array.from({ length: plan.machines }, (_, part) =>
      sendPart(
        bench,
        plan,
        part,
        victims.find((victim) => victim.part === part),
      ),
    ),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  for (const { machine, end } of ends) expect(end.exitCode, `${machine}: ${end.stderr}`).toBe(0);
  const found = ends.map(({ end }) => Number(eventsOf(end.stdout).at(-1)?.['found']));
  expect(found.reduce((sum, count) => sum + count, 0)).toBe(plan.files);
  const there = bench.service.state.objects(BATCH).map((object) => object.sha256);
  expect(there.length).toBe(plan.files);
  expect(there.toSorted()).toEqual(hashes.toSorted());
  const requests = bench.service.log.requests.length;
  await checkReceipts(
    bench,
    plan,
    ends.map(({ machine }) => machine),
  );
  return {
    /** When each machine was killed, in words. */
    kills: ends.flatMap(({ kill }) => kill ?? []) /** From the first start to the last exit. */,
    seconds,
    requests,
  };
}
