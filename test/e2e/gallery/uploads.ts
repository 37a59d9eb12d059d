/** Answers for Uploads and the first run. */
import { answer, fail, type Handlers, type Scenario } from './scenario.ts';

/** What main would answer. */
export function handlers(scenario: Scenario): Handlers {
  return {
    'connection.check': ({ apiKey }) =>
      apiKey === 'wrong' ? fail('auth.rejected', 'wait') : answer({ workspace: 'cup-factory' }),
    'connection.add': () => answer({ id: 1 }),
    'directory.choose': () => answer({ path: '/home/camera/data/line-4/incoming' }),
    'watch.preview': ({ rule }) =>
      scenario === 'failing'
        ? fail('directory.unreadable')
        : answer({
            files: 12_480,
            bytes: 38_200_000_000,
            leftOut: 17,
            more: false,
            batches: [
              { batchId: `${rule.name.toLowerCase()}-host-20261120`, files: 6214, bytes: 19.1e9 },
              { batchId: `${rule.name.toLowerCase()}-host-20261121`, files: 6266, bytes: 19.1e9 },
            ],
            batchCount: 2,
            notes: ['One file has no ending of an image or a video: the content decides.'],
            warnings: rule.batch.includes('{date}')
              ? []
              : ['A batch expires after 7 days; without a date the id will be used up.'],
          }),
    'watch.add': () => answer({ id: 9 }),
    'upload.summarize': ({ paths }) =>
      answer({
        paths: paths.map((path) => ({
          path,
          kind:
            scenario === 'failing' ? 'unreadable' : scenario === 'offline' ? 'gone' : 'directory',
        })),
        ...(scenario === 'failing' || scenario === 'offline'
          ? { files: 0, bytes: 0, leftOut: 0, more: false }
          : { files: 1284, bytes: 3_910_000_000, leftOut: 6, more: false }),
      }),
    'upload.batchId': ({ batch }) =>
      answer({
        batchId: batch
          .trim()
          .toLowerCase()
          .replaceAll(/[^a-z0-9_-]+/g, '-'),
      }),
    'upload.start': ({ batch }) => answer({ batchId: batch }),
    'why.path': ({ path }) =>
      answer({
        path,
        headline: 'Not uploaded: the file is still being written.',
        details: ['It grew 2 s ago and must be at rest for 5 s.', 'The rule of “line-3” takes it.'],
      }),
  };
}
