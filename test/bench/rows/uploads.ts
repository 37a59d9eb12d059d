/** `sluice upload` compared with plain ways to send the same files to the same sink. Those keep no record, hash nothing and check nothing. */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { costFigures, cpuRatioFigure, type Figure, ratioFigure } from '../figures.ts';
import { writeImages, writeVideos } from '../media.ts';
import { type Cost, measured } from '../measure.ts';
import { must, type Sink, sluice, startSink } from '../program.ts';
import { TEST_CERTIFICATE } from '../../unit/engine/service/testCertificate.ts';
import { inTurn, type Row, type Setting, sized } from '../row.ts';

const IMAGE_BYTES = 20_000;
const MIB = 1024 * 1024;
const PARALLEL = 8;

interface Upload {
  readonly files: number;
  readonly mode: 'single' | 'bulk';
  readonly latencyMs?: number;
  /** Over encrypted connections, as to every real service. */
  readonly tls?: boolean;
  write(root: string): Promise<void>;
  /** The plain command for the content of a directory. */
  plain(sink: Sink, root: string, scratch: string): Promise<readonly string[]>;
}

async function filesBelow(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => join(entry.parentPath, entry.name));
}

async function compareAtSink(
  { runs, directory }: Setting,
  upload: Upload,
): Promise<readonly [ours: readonly Cost[], theirs: readonly Cost[]]> {
  const root = join(directory, 'media');
  await upload.write(root);
  const sink = await startSink(upload.latencyMs ?? 0, upload.tls);
  const trusted = join(directory, 'certificate.pem');
  await writeFile(trusted, TEST_CERTIFICATE);
  const trust = upload.tls ? { SSL_CERT_FILE: trusted, CURL_CA_BUNDLE: trusted } : {};
  try {
    const command = await upload.plain(sink, root, directory);
    const [theirs = [], ours = []] = await inTurn(
      runs,
      () => must(measured(command, trust)),
      async (turn) => {
        const words = ['upload', root, '--batch', `ours-${turn}`, '--mode', upload.mode];
        const cost = await sluice(sink.url, join(directory, `data-${turn}`), words, trust);
        const count = await sink.count(`ours-${turn}`);
        if (count !== upload.files) throw new Error(`${count} of ${upload.files} files arrived`);
        return cost;
      },
    );
    return [ours, theirs];
  } finally {
    await sink.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** One archive of everything, created while it is sent. */
function tarAndCurl(sink: Sink, root: string): Promise<readonly string[]> {
  const pipe = `set -o pipefail; tar -C "$1" -cf - . | curl -sSf -o /dev/null -T - "$2"`;
  return Promise.resolve(['bash', '-c', pipe, '_', root, `${sink.url}/body`]);
}

/** One process, reused connections, a form for each image. */
async function curlForms(sink: Sink, root: string, scratch: string): Promise<readonly string[]> {
  const parts = (await filesBelow(root)).map((path) => {
    const url = sink.staging('plain/upload/image', { fileName: basename(path) });
    return `url = "${url}"\nform = "file=@${path}"\noutput = "/dev/null"\nfail\n`;
  });
  const config = join(scratch, 'plain.curl');
  await writeFile(config, parts.join('next\n'));
  return ['curl', '-sS', '--parallel', '--parallel-max', String(PARALLEL), '--config', config];
}

/** One process that PUTs file after file. */
async function curlPuts(sink: Sink, root: string): Promise<readonly string[]> {
  const each = (await filesBelow(root)).flatMap((path) => ['-T', path, `${sink.url}/body`]);
  const outputs = each.filter((word) => word === '-T').flatMap(() => ['-o', '/dev/null']);
  return ['curl', '-sSf', ...outputs, ...each];
}

function images(files: number, mode: Upload['mode'], plain: Upload['plain']): Upload {
  const write = (root: string): Promise<void> => writeImages(root, files, IMAGE_BYTES - 500);
  return { files, mode, write, plain };
}

function videos(files: number, bytes: number): Upload {
  const write = (root: string): Promise<void> => writeVideos(root, files, bytes);
  return { files, mode: 'single', write, plain: curlPuts };
}

function told(
  [ours, theirs]: readonly [readonly Cost[], readonly Cost[]],
  plain: string,
  goals: { readonly cpuSeconds?: number },
  ratio: Figure,
): readonly Figure[] {
  return [
    ...costFigures(plain, theirs),
    ...costFigures('sluice upload', ours, { ...goals, isOurs: true }),
    ratio,
    cpuRatioFigure(plain, ours, theirs),
  ];
}

/** Speed relative to the plain way: 1 is as fast. */
async function speedRow(
  setting: Setting,
  upload: Upload,
  plain: string,
  atLeast: number | null,
): Promise<readonly Figure[]> {
  const [ours, theirs] = await compareAtSink(setting, upload);
  const goal = atLeast === null ? null : { atLeast };
  const ratio = ratioFigure(`speed relative to ${plain}`, theirs, ours, goal);
  return told([ours, theirs], plain, {}, ratio);
}

export const UPLOADS: readonly Row[] = [
  {
    name: 'bulk',
    about: '5,000 images of 20 kB in bulk, whole process',
    run: async (setting) => {
      const files = sized(setting, 5_000);
      const [ours, theirs] = await compareAtSink(setting, images(files, 'bulk', tarAndCurl));
      const ratio = ratioFigure('time relative to tar | curl -T', ours, theirs, { atMost: 2 });
      const cpuSeconds = setting.scale === 1 ? { cpuSeconds: 1.1 } : {};
      return told([ours, theirs], 'tar | curl -T', cpuSeconds, ratio);
    },
  },
  {
    name: 'bulk50',
    about: 'the same with 50 ms for each answer',
    run: async (setting) => {
      const upload = images(sized(setting, 5_000), 'bulk', tarAndCurl);
      const pair = await compareAtSink(setting, { ...upload, latencyMs: 50 });
      const ratio = ratioFigure('time relative to tar | curl -T', ...pair, null);
      return told(pair, 'tar | curl -T', {}, ratio);
    },
  },
  {
    name: 'singles',
    about: '5,000 images of 20 kB one by one',
    run: (setting) => {
      const upload = images(sized(setting, 5_000), 'single', curlForms);
      return speedRow(setting, upload, 'curl --parallel', 0.7);
    },
  },
  {
    name: 'singles50',
    about: '1,000 images of 20 kB one by one, with 50 ms for each answer',
    run: (setting) => {
      const upload = images(sized(setting, 1_000), 'single', curlForms);
      return speedRow(setting, { ...upload, latencyMs: 50 }, 'curl --parallel', null);
    },
  },
  {
    name: 'singlesTls',
    about: '1,000 images of 20 kB one by one, over encrypted connections',
    run: (setting) => {
      const upload = images(sized(setting, 1_000), 'single', curlForms);
      return speedRow(setting, { ...upload, tls: true }, 'curl --parallel', null);
    },
  },
  {
    name: 'video',
    about: 'one video of 1 GB',
    run: (setting) => speedRow(setting, videos(1, sized(setting, 1000) * MIB), 'curl -T', 0.85),
  },
  {
    name: 'videos',
    about: '200 videos of 5 MB',
    run: (setting) => speedRow(setting, videos(sized(setting, 200), 5_000_000), 'curl -T', 1),
  },
  {
    name: 'videoTls',
    about: 'one video of 1 GB, over encrypted connections',
    run: (setting) => {
      const upload = videos(1, sized(setting, 1000) * MIB);
      return speedRow(setting, { ...upload, tls: true }, 'curl -T', null);
    },
  },
];
