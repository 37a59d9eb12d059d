/** Objects that are not asked about, because so many others could not be read. */
import { expect, test } from 'vitest';
import { sluiceError } from '../../../../../main/engine/core/errors.ts';
import { Comparisons } from '../../../../../main/engine/pipeline/presence/comparisons.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../../helpers/testPipeline.ts';

test.each([
  ['service.busy', 'service.busy'],
  // Another object that does not exist says nothing about this one.
  ['service.notFound', undefined],
] as const)(
  'after many that end with %s, the others count as unread, with %s',
  async (code, end) => {
    const error = sluiceError(code);
    const pipeline = createTestPipeline(createTestLedger());
    const objects = Array.from({ length: 100 }, (_, at) => at);
    const asked = new Set<number>();
    const found = await new Comparisons().ofPage(pipeline, objects, 4, (at) => {
      asked.add(at);
      return Promise.resolve({ kind: 'unknown', error });
    });
    const others = found.filter(([at]) => !asked.has(at));
    expect(others.length).toBeGreaterThan(50);
    for (const [, match] of others)
      expect(match.kind === 'unknown' ? match.error?.code : match).toBe(end);
  },
);
