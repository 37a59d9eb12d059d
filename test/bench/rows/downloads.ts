/** `sluice batch download` compared with curl, each with everything it does, to a disk. */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { costFigures, cpuRatioFigure, type Figure, ratioFigure } from '../figures.ts';
import { measured } from '../measure.ts';
import { must, startSink, sluice } from '../program.ts';
import { inTurn, type Row, type Setting, sized } from '../row.ts';

const MB = 1_000_000;

const CURL = ['curl', '-sSf'];
const CURLS = [...CURL, '--parallel', '--parallel-max', '8'];

interface Download {
  readonly files: number;
  readonly bytes: number;
  readonly latencyMs?: number;
  readonly plain: readonly string[];
  readonly goal: Figure['goal'];
}

async function download(
  { runs, directory }: Setting,
  { files, bytes, latencyMs = 0, plain, goal }: Download,
): Promise<readonly Figure[]> {
  const batch = `files-${files}x${bytes}`;
  const sink = await startSink(latencyMs);
  const here = (turn: number, who: string): string => join(directory, `${who}-${turn}`);
  const checked = async (target: string): Promise<void> => {
    const count = (await readdir(target, { recursive: true })).filter((name) =>
      name.endsWith('.bin'),
    ).length;
    if (count !== files) throw new Error(`${count} of ${files} files came`);
    // Deleting many files would slow down creating the next ones: ext4 skips inodes that were in use within the last minutes.
    if (files === 1) await rm(target, { recursive: true });
  };
  try {
    // The sink creates the batch at the first request.
    await sink.count(batch);
    const [theirs = [], ours = []] = await inTurn(
      runs,
      async (turn) => {
        const target = here(turn, 'curl');
        const config = join(directory, 'curl.config');
        const parts = Array.from({ length: files }, (_, index) => {
          const url = `${sink.url}/storage/objects/${batch}/${index}`;
          return `url = "${url}"\noutput = "${join(target, `file-${index}.bin`)}"\n`;
        });
        await writeFile(config, `create-dirs\n${parts.join('')}`);
        const cost = await must(measured([...plain, '--config', config]));
        await checked(target);
        return cost;
      },
      async (turn) => {
        const target = here(turn, 'sluice');
        const words = ['batch', 'download', batch, '--to', target];
        const cost = await sluice(sink.url, here(turn, 'data'), words);
        await checked(target);
        return cost;
      },
    );
    const name = plain.includes('--parallel') ? 'curl --parallel' : 'curl';
    return [
      ...costFigures(name, theirs),
      ...costFigures('sluice batch download', ours, { isOurs: true }),
      ratioFigure(`speed relative to ${name}`, theirs, ours, goal),
      cpuRatioFigure(name, ours, theirs),
    ];
  } finally {
    await sink.close();
  }
}

export const DOWNLOADS: readonly Row[] = [
  {
    name: 'download',
    about: 'download of one file of 1 GB',
    run: (setting) =>
      download(setting, {
        files: 1,
        bytes: sized(setting, 1000) * MB,
        plain: CURL,
        goal: { atLeast: 0.9 },
      }),
  },
  {
    name: 'downloads',
    about: 'download of 10,000 files of 20 kB',
    run: (setting) =>
      download(setting, {
        files: sized(setting, 10_000),
        bytes: 20_000,
        plain: CURLS,
        goal: { atLeast: 0.7 },
      }),
  },
  {
    name: 'downloads50',
    about: 'download of 2,000 files of 20 kB, with 50 ms for each answer',
    run: (setting) =>
      download(setting, {
        files: sized(setting, 2_000),
        bytes: 20_000,
        latencyMs: 50,
        plain: CURLS,
        goal: null,
      }),
  },
];
