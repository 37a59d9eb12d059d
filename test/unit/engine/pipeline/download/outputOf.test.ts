import { expect, test } from 'vitest';
import {
  createRecognizer,
  type ListedRow,
} from '../../../../../main/engine/pipeline/download/outputOf.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../../helpers/testPipeline.ts';

test('a storage with new addresses each time costs a few lookups for each row, however long the page', () => {
  const { store, connectionId } = createTestLedger();
  let lookups = 0;
  const counting = {
    ...store,
    list: ((...given) => {
      lookups += 1;
      return store.list(...given);
    }) satisfies typeof store.list,
  };
  const pipeline = createTestPipeline({ store: counting, connectionId });
  const read = (round: string): readonly unknown[] => {
    const names = [...Array(100).keys()].map((index) => `r${index}.json`);
    const rows: readonly ListedRow[] = names.map((fileName) => ({
      name: { connectionId, batchId: 'b', part: 'p', fileName, target: '/to' },
      object: `/${round}/${fileName}`,
    }));
    const recognizer = createRecognizer(pipeline, ({ fileName }) => `/to/${fileName}`, false);
    return store.transaction(() =>
      rows.map((row) => {
        const output = recognizer.recognize(row, rows);
        return typeof output === 'string' ? output : output.id;
      }),
    );
  };
  const first = read('a');
  lookups = 0;
  expect(read('b')).toEqual(first);
  expect(lookups).toBe(200);
});

test('an object that the ledger has, but that the list has not shown yet, is not taken for a repeated one', () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const pipeline = createTestPipeline(ledger);
  const read = (...pages: readonly (readonly string[])[]): readonly unknown[] => {
    const name = { connectionId, batchId: 'b', part: 'p', fileName: 'a.json', target: '/to' };
    const { recognize, settle } = createRecognizer(pipeline, () => '/to/a.json', false);
    return store.transaction(() => {
      const rows = pages.map((objects) => objects.map((object) => ({ name, object })));
      const found = rows.flatMap((page) => page.map((row) => [row, recognize(row, page)] as const));
      return found.map(([row, output]) => {
        if (output === 'again') return output;
        return output === 'later' ? settle(row).id : output.id;
      });
    });
  };
  const both = read(['/1', '/2']);
  expect(read(['/new'], ['/1'])).toEqual(both);
});
