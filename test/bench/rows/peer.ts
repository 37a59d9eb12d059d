/**
 * The service's own client compared with `sluice upload`, whole processes, against the reference service. SLUICE_PEER is its command, run by
 * bash, with these variables: DIRECTORY with the images, BATCH, URL, KEY, WORKSPACE. Its start-up time is measured with an empty directory.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { costFigures, type Figure, ratioFigure } from '../figures.ts';
import { writeImages } from '../media.ts';
import { type Cost, measured } from '../measure.ts';
import { must, sluice } from '../program.ts';
import { API_KEY, type ServiceProcess, startService } from '../serviceProcess.ts';
import { type Row, type Setting, sized } from '../row.ts';

const IMAGE_BYTES = 20_000;
const COMMAND = process.env['SLUICE_PEER'] ?? '';

/** Why the client cannot run; null if it can. */
export const missingPeer = (): string | null =>
  COMMAND === '' ? 'SLUICE_PEER names no client' : null;

/** Runs the client over the images directly in a directory: it looks into none below. */
export function runPeer(url: string, directory: string, batch: string): Promise<Cost> {
  const variables = { DIRECTORY: directory, BATCH: batch, URL: url, KEY: API_KEY };
  return measured(['bash', '-c', COMMAND], { ...variables, WORKSPACE: 'demo' });
}

/** Throws when a batch has another number of files. The client does not wait until the service has taken in what it sent. */
async function expectFiles({ count }: ServiceProcess, batch: string, files: number): Promise<void> {
  for (let tries = 0; (await count(batch)) !== files; tries += 1) {
    if (tries === 50) throw new Error(`${await count(batch)} of ${files} files are in ${batch}`);
    await setTimeout(100);
  }
}

async function compare(setting: Setting, latencyMs: number): Promise<readonly Figure[]> {
  const { directory, runs } = setting;
  const [root, empty] = [join(directory, 'media'), join(directory, 'empty')];
  const files = sized(setting, 5_000);
  await writeImages(root, files, IMAGE_BYTES - 500, files);
  await mkdir(empty, { recursive: true });
  const [theirs, ours, starts]: [Cost[], Cost[], Cost[]] = [[], [], []];
  for (let turn = 0; turn < runs; turn += 1) {
    const service = await startService(latencyMs);
    try {
      // It keeps what it sent in a file for each batch, next to the images.
      const batch = `peer-${turn}`;
      theirs.push(await must(runPeer(service.url, join(root, 'cam-0'), batch)));
      await expectFiles(service, batch, files);
      const words = ['upload', root, '--batch', 'ours', '--mode', 'bulk'];
      ours.push(await sluice(service.url, join(directory, `data-${turn}`), words));
      await expectFiles(service, 'ours', files);
      // Without files it may report that there is nothing to do: only the time counts.
      starts.push(await runPeer(service.url, empty, 'empty'));
    } finally {
      await service.close();
    }
  }
  const work = theirs.map((cost, turn) => ({
    ...cost,
    seconds: Math.max(0.001, cost.seconds - (starts[turn]?.seconds ?? 0)),
  }));
  const whole = ratioFigure('time relative to the client', ours, theirs, {
    atMost: latencyMs === 0 ? 0.25 : 0.35,
  });
  return [
    ...costFigures('the service’s client', theirs),
    ...costFigures('sluice upload', ours, { isOurs: true }),
    whole,
    ...(latencyMs === 0
      ? [ratioFigure('time relative to the client without its start', ours, work, { atMost: 0.6 })]
      : []),
  ];
}

export const PEER: readonly Row[] = [
  {
    ...{
      name: 'peer',
      about: '5,000 images in bulk compared with the service’s own client',
      missing: missingPeer,
    },
    run: (setting) => compare(setting, 0),
  },
  {
    name: 'peer50',
    about: 'the same with 50 ms for each answer',
    missing: missingPeer,
    run: (setting) => compare(setting, 50),
  },
];
