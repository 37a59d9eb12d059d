/** A body that a storage refused in its own words may be there all the same: the list is looked at before it goes to another address. */
import { describe, expect, test } from 'vitest';
import { fail, ok, type Result, sluiceError } from '../../../../../main/engine/core/errors.ts';
import { unlessKept } from '../../../../../main/engine/pipeline/send/keptAnyway.ts';
import type {
  AttemptResult,
  TransferOutcome,
} from '../../../../../main/engine/pipeline/send/transferOutcome.ts';
import { itemsOfTransfer } from '../../../../../main/engine/store/tables/items.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createTestPipeline, listedFile } from '../../../../helpers/testPipeline.ts';

const error = sluiceError('service.refused', { status: 422, said: 'InvalidArgument' });
const SPLIT: TransferOutcome = { kind: 'split', error };
const COMPLETE = { kind: 'complete', hashes: [] } as const;

async function afterRefusal(
  outcome: TransferOutcome,
  listed: readonly string[],
  given: Partial<AttemptResult> = {},
  count: Result<number | null> = ok(listed.length),
): Promise<TransferOutcome['kind']> {
  const ledger = createTestLedger();
  const batch = ledger.batch({});
  const { id } = ledger.transfer(batch, ['a.jpg', 'b.jpg']);
  const items = listed.map(listedFile);
  const client = {
    askCount: () => Promise.resolve(count),
    askFilesPage: () => Promise.resolve(ok({ items, nextPageToken: null })),
  };
  const pipeline = createTestPipeline(ledger, { client });
  const members = itemsOfTransfer(ledger.store, id);
  const attempt = { pipeline, transfer: ledger.stored(id), batch, items: members };
  const answer: AttemptResult['answer'] = { ok: false, error };
  const result = {
    stage: 'body',
    answer,
    sources: COMPLETE,
    comparison: 'nothing stated',
  } as const;
  return (await unlessKept(attempt, { ...result, ...given }, outcome)).kind;
}

describe('an archive that was refused', () => {
  test.each([
    SPLIT,
    { kind: 'again', error, keepAddress: false, atOnce: true },
    { kind: 'hold', error },
  ] as const)('and is listed all the same is not sent elsewhere: $kind', async (outcome) => {
    expect(await afterRefusal(outcome, ['x.jpg', 'B.jpg'])).toBe('unknown');
    expect(await afterRefusal(outcome, ['x.jpg'])).toBe(outcome.kind);
    expect(await afterRefusal(outcome, [])).toBe(outcome.kind);
  });

  test('is in doubt while the list cannot be read', async () => {
    expect(await afterRefusal(SPLIT, [], {}, fail('network.lost'))).toBe('unknown');
  });

  test('before its body had left is not looked for', async () => {
    expect(await afterRefusal(SPLIT, ['a.jpg'], { stage: 'address' })).toBe('split');
    const sources = { kind: 'reading' } as const;
    expect(await afterRefusal(SPLIT, ['a.jpg'], { sources })).toBe('split');
  });

  test('and goes to the same address again is not looked for', async () => {
    const again = { kind: 'again', error, keepAddress: true, atOnce: false } as const;
    expect(await afterRefusal(again, ['a.jpg'])).toBe('again');
  });
});
