/** Several machines share one source by `--part`: every content arrives once, also when some die, and their receipts prove the whole. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tinyImages } from '../helpers/media.ts';
import { CHARACTER_TIMES } from './characters.ts';
import { startProcess, untilRequest } from './childCli.ts';
import { type Bench, createBench, eventsOf } from './cliRun.ts';
import { sha256 } from './localFiles.ts';

const MACHINES = 4;
const FILES = 240;

/** Names repeat in the directories; contents do not. */
async function writeSource(directory: string): Promise<ReadonlySet<string>> {
  const contents = new Set<string>();
  let number = 0;
  for (const { name, content } of tinyImages(FILES)) {
    const place = join(directory, `cam-${number % 5}`);
    await mkdir(place, { recursive: true });
    await writeFile(join(place, `frame-${Math.floor(number / 5)}${name.slice(-4)}`), content);
    contents.add(sha256(content));
    number += 1;
  }
  return contents;
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

test(
  'four machines, one of them dies and another takes its part with an empty ledger',
  { timeout: 90_000 },
  async () => {
    const bench = await createBench();
    const source = join(bench.directory, 'source');
    const contents = await writeSource(source);
    const start = (part: number, machine: string) =>
      startProcess(
        ['upload', source, '--batch', 'shared', '--part', `${part}/${MACHINES}`, '--json'],
        environmentOf(bench, machine),
      );
    const first = Array.from({ length: MACHINES }, (_, part) => start(part, `machine-${part}`));
    const victim = first[1];
    if (victim === undefined) throw new Error('a machine');
    await untilRequest(victim, () =>
      bench.service.log.requests.some(({ method, status }) => method === 'PUT' && status === 200),
    );
    victim.process.kill('SIGKILL');
    await victim.ended;
    const replacement = start(1, 'machine-elsewhere');
    const ends = await Promise.all(
      [...first.filter((one) => one !== victim), replacement].map(({ ended }) => ended),
    );
    for (const end of ends) expect(end.exitCode, end.stderr).toBe(0);
    const found = ends.map(({ stdout }) => Number(eventsOf(stdout).at(-1)?.['found']));
    expect(found.reduce((sum, count) => sum + count, 0)).toBe(FILES);
    const there = bench.service.state.objects('shared').map((object) => object.sha256);
    expect(there.toSorted()).toEqual([...contents].toSorted());

    const receipts: string[] = [];
    for (const machine of ['machine-0', 'machine-elsewhere', 'machine-2', 'machine-3']) {
      const data = { environment: { SLUICE_DATA_DIR: join(bench.directory, machine) } };
      const printed = await startProcess(
        ['batch', 'receipt', 'shared', receipts.length % 2 === 0 ? '--csv' : '--json'],
        { ...environmentOf(bench, machine), ...data.environment },
      ).ended;
      const file = join(bench.directory, `${machine}.receipt`);
      await writeFile(file, printed.stdout);
      receipts.push(file);
    }
    const merge = (files: readonly string[]) =>
      bench.sluice(['batch', 'receipt', '--merge', ...files, '--against', source], { json: true });
    const whole = await merge(receipts);
    expect(whole.exitCode, whole.stderr).toBe(0);
    expect(eventsOf(whole.stdout).at(-1)).toMatchObject({
      data: { files: FILES, confirmed: FILES, open: 0, repeatedContents: 0, missing: [] },
    });
    const incomplete = await merge(receipts.slice(1));
    expect(incomplete.exitCode).toBe(3);
  },
);
