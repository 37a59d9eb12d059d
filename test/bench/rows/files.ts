/** How time and memory grow with the number of files: the figure in docs/. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Figure, spreadOf } from '../figures.ts';
import { writeImages } from '../media.ts';
import { type Cost, measured } from '../measure.ts';
import { must, sluice, startSink } from '../program.ts';
import { inTurn, type Row, type Setting } from '../row.ts';
import { missingPeer, runPeer } from './peer.ts';

const IMAGE_BYTES = 3_500;
const COUNTS = [1_000, 10_000, 100_000];
const MILLION = 1_000_000;
const MIB = 1024 * 1024;
/** A million files are written and sent only once, because that takes minutes. */
const MOST_RUNS = 3;

/** The sides, as they are named in the figure; the last one only if SLUICE_PEER names the client. */
export const SIDES = ['tar | curl -T', 'sluice upload', 'the service’s client'] as const;

async function ofCount(setting: Setting, files: number): Promise<readonly Figure[]> {
  const { directory, runs } = setting;
  const root = join(directory, `media-${files}`);
  const withPeer = missingPeer() === null;
  await writeImages(root, files, IMAGE_BYTES, withPeer ? files : undefined);
  const sink = await startSink();
  const expectAll = async (batch: string): Promise<void> => {
    const count = await sink.count(batch);
    if (count !== files) throw new Error(`${count} of ${files} files arrived in ${batch}`);
  };
  const pipe = `set -o pipefail; tar -C "$1" -cf - . | curl -sSf -o /dev/null -T - "$2"`;
  const plain = (): Promise<Cost> =>
    must(measured(['bash', '-c', pipe, '_', root, `${sink.url}/body`]));
  const ours = async (turn: number): Promise<Cost> => {
    const batch = `ours-${files}-${turn}`;
    const words = ['upload', root, '--batch', batch, '--mode', 'bulk', '--quiet'];
    const cost = await sluice(sink.url, join(directory, `data-${files}-${turn}`), words);
    await expectAll(batch);
    return cost;
  };
  const peer = async (turn: number): Promise<Cost> => {
    const batch = `theirs-${files}-${turn}`;
    const cost = await must(runPeer(sink.url, join(root, 'cam-0'), batch));
    await expectAll(batch);
    return cost;
  };
  try {
    const most = files === MILLION ? 1 : Math.min(runs, MOST_RUNS);
    const costs = await inTurn(most, plain, ours, ...(withPeer ? [peer] : []));
    return costs.flatMap((all, index): readonly Figure[] => {
      const name = `${files.toLocaleString('en')} files, ${SIDES[index]}`;
      const isOurs = index === 1;
      return [
        {
          what: `${name}, time`,
          unit: 's',
          goal: null,
          value: spreadOf(all.map(({ seconds }) => seconds)),
        },
        {
          what: `${name}, memory at most`,
          unit: 'MiB',
          value: spreadOf(all.map(({ peakBytes }) => peakBytes / MIB)),
          goal: isOurs ? { atMost: 180 } : null,
        },
      ];
    });
  } finally {
    await sink.close();
    await rm(root, { recursive: true, force: true });
  }
}

export const FILES: readonly Row[] = [
  {
    name: 'files',
    about: '1,000, 10,000 and 100,000 images of 4 kB in bulk; with --million as many',
    run: async (setting) => {
      const wanted = setting.million ? [...COUNTS, MILLION] : COUNTS;
      const figures: Figure[] = [];
      for (const count of wanted.filter((each) => setting.scale === 1 || each < 100_000))
        figures.push(...(await ofCount(setting, count)));
      return figures;
    },
  },
];
