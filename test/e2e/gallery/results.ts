/** The results of a job: a wide table with long names, and files of each kind. */
import type { ResultFile, ResultsView, TablePage } from '../../../preload/contract/results.ts';
import { answer, type Handlers, LONG_NAME, pageOf } from './scenario.ts';

const FOLDER = `/home/ann/Sluice/results/${LONG_NAME}`;
const TABLE: ResultFile = {
  path: `${FOLDER}/summary.csv`,
  name: `summary-of-${LONG_NAME}.csv`,
  kind: 'table',
};
const VIEW: ResultsView = {
  jobId: 'nightly-16',
  state: 'incomplete',
  folder: FOLDER,
  automatic: true,
  known: 1200,
  here: 1100,
  bytes: 48_000_000,
  code: 'disk.full',
  counts: { table: 1, image: 1000, archive: 2, other: 3 },
  packed: 2,
  tables: [TABLE],
};
const COLUMNS: TablePage['columns'] = [
  { name: 'image', numeric: false },
  { name: 'sha256', numeric: false },
  { name: 'a column with a very long name that has to be shortened', numeric: true },
];
const ROWS = Array.from({ length: 400 }, (_, index) => [
  `${LONG_NAME}-${String(index)}.jpg`,
  'f'.repeat(64),
  String(index * 1e9),
]);

export function handlers(): Handlers {
  return {
    'result.detail': () => answer(VIEW),
    'result.files': (asked) => pageOf([TABLE], asked),
    'result.table': ({ offset, limit }) =>
      answer({
        columns: COLUMNS,
        rows: ROWS.slice(offset, offset + limit),
        total: ROWS.length,
        allRows: ROWS.length,
        unreadable: 2,
        truncated: true,
      }),
  };
}
