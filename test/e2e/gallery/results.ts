/** Answers for results of jobs: a table of 100,000 rows, 960 images, archives that are not unpacked. */
import type { ResultFile, ResultsView } from '../../../preload/contract/results.ts';
import { thumbnailOf } from './batchData.ts';
import { JOBS } from './jobData.ts';
import {
  answer,
  fail,
  HOUR,
  type Handlers,
  LONG_NAME,
  NOW,
  pageOf,
  type Scenario,
} from './scenario.ts';

const FOLDER = '/home/ann/Sluice/results/line-3-2026-11-20';
const ROWS = 100_000;

function file(name: string, kind: ResultFile['kind']): ResultFile {
  return { path: `${FOLDER}/${name}`, name, kind };
}

const TABLES = [file('summary/summary.csv', 'table'), file('exported_data/results.jsonl', 'table')];
const IMAGES = Array.from({ length: 960 }, (_, at) =>
  file(`images/cam-3-${String(at).padStart(6, '0')}.jpg`, 'image'),
);
const ARCHIVES = Array.from({ length: 14 }, (_, at) =>
  file(`exported_data/shard-${at}.tar.gz`, 'archive'),
);

function viewOf(jobId: string, scenario: Scenario): ResultsView {
  const nothing = { table: 0, image: 0, archive: 0, other: 0 };
  const none: ResultsView = {
    jobId,
    state: 'none',
    folder: null,
    automatic: false,
    resultsBatch: null,
    known: 0,
    here: 0,
    bytes: 0,
    code: null,
    at: null,
    counts: nothing,
    packed: 0,
    tables: [],
  };
  if (JOBS.find((job) => job.jobId === jobId)?.state !== 'succeeded') return none;
  return {
    ...none,
    state: scenario === 'failing' ? 'incomplete' : 'here',
    folder: scenario === 'long' ? `/media/archive/${LONG_NAME}/${LONG_NAME}` : FOLDER,
    automatic: true,
    resultsBatch: `${jobId}-export`,
    known: 2416,
    here: scenario === 'failing' ? 2011 : 2416,
    bytes: 412_300_000,
    code: scenario === 'failing' ? 'disk.full' : null,
    at: NOW - HOUR,
    counts: { table: 2, image: IMAGES.length, archive: ARCHIVES.length, other: 1 },
    packed: ARCHIVES.length,
    tables: TABLES,
  };
}

const FILES: Readonly<Record<ResultFile['kind'], readonly ResultFile[]>> = {
  table: TABLES,
  image: IMAGES,
  archive: ARCHIVES,
  other: [file('manifest-notes.txt', 'other')],
};

function cells(at: number): readonly string[] {
  const sha = (at * 2_654_435_761).toString(16).padStart(12, '0').repeat(5).slice(0, 64);
  const name = `cam-3-${String(at).padStart(6, '0')}.jpg`;
  return [
    name,
    String((at * 7) % 19),
    ((at % 97) / 97).toFixed(3),
    String(180_000 + at),
    '640',
    '480',
    sha,
  ];
}

export function handlers(scenario: Scenario): Handlers {
  return {
    'result.detail': ({ jobId }) => answer(viewOf(jobId, scenario)),
    'result.download': () => answer({ to: FOLDER }),
    'result.unpack': () => answer({ archives: ARCHIVES.length }),
    'result.files': (asked) =>
      pageOf(
        FILES[asked.kind].filter(({ name }) => name.includes(asked.search)),
        asked,
      ),
    'result.table': ({ offset, limit, search }) => {
      if (scenario === 'failing') return fail('item.unreadable');
      const names = ['image', 'cups', 'confidence', 'size_bytes', 'width', 'height', 'sha256'];
      const total = search === '' ? ROWS : 12;
      const count = Math.max(0, Math.min(limit, total - offset));
      return answer({
        columns: names.map((name, at) => ({ name, numeric: at > 0 && at < 6 })),
        rows: Array.from({ length: count }, (_, at) => cells(offset + at)),
        total,
        allRows: ROWS,
        unreadable: 0,
        truncated: scenario === 'long',
      });
    },
    'result.picture': ({ path }) =>
      answer({ dataUrl: thumbnailOf(path.length + Number(path.slice(-8, -4))) }),
  };
}
