/** What becomes of a transfer after a try: the decision that exactly-once rests on. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ERROR_CODES } from '../../../preload/errorCodes.ts';
import { fail, ok, sluiceError } from '../../../main/engine/errors.ts';
import { MAX_SERVICE_TRIES } from '../../../main/engine/limits.ts';
import type { SourceOutcome } from '../../../main/engine/model.ts';
import { decideTransfer } from '../../../main/engine/pipeline/transferOutcome.ts';
import { transferOf } from '../../helpers/transfer.ts';

const COMPLETE: SourceOutcome = { kind: 'complete', sha256: ['a', 'b'] };
const READING: SourceOutcome = { kind: 'reading' };
const CHANGED: SourceOutcome = { kind: 'changed', index: 1, code: 'item.changed' };
const TAKEN = ok({ alreadyThere: false });
const THERE = ok({ alreadyThere: true });

describe('an answer that the service has it', () => {
  test('counts when every source was read to its end', () => {
    expect(decideTransfer(transferOf(), TAKEN, COMPLETE)).toEqual({
      kind: 'sent',
      sha256: ['a', 'b'],
    });
  });
  test('proves nothing while sources were still being read', () => {
    expect(decideTransfer(transferOf(), TAKEN, READING).kind).toBe('unknown');
  });
  test('proves nothing when a source changed', () => {
    expect(decideTransfer(transferOf(), TAKEN, CHANGED)).toEqual({
      kind: 'changed',
      index: 1,
      code: 'item.changed',
    });
  });
  test('from before (412) counts however far the reading was', () => {
    for (const sources of [READING, CHANGED]) {
      expect(decideTransfer(transferOf(), THERE, sources)).toEqual({ kind: 'sent', sha256: [] });
    }
  });
});

describe('an error', () => {
  test.each([
    ['network.lost', { kind: 'again', keepAddress: true }],
    ['network.timeout', { kind: 'again', keepAddress: true }],
    ['service.busy', { kind: 'again', keepAddress: true }],
    ['upload.urlExpired', { kind: 'again', keepAddress: false }],
    ['service.noAnswer', { kind: 'unknown' }],
    ['auth.rejected', { kind: 'wait' }],
    ['service.quota', { kind: 'wait' }],
    ['net.offline', { kind: 'wait' }],
    ['service.refused', { kind: 'park' }],
    ['service.forbidden', { kind: 'wait' }],
    ['service.unexpectedAnswer', { kind: 'park' }],
  ] as const)('%s', (code, wanted) => {
    expect(decideTransfer(transferOf(), fail(code), READING)).toMatchObject(wanted);
  });

  test('of a source comes before whatever the service says', () => {
    for (const code of ['network.lost', 'service.noAnswer', 'service.refused'] as const) {
      expect(decideTransfer(transferOf(), fail(code), CHANGED).kind).toBe('changed');
    }
  });

  test('413 cuts a shard and parks anything else', () => {
    const tooLarge = fail('service.refused', { status: 413 });
    expect(decideTransfer(transferOf(), tooLarge, READING).kind).toBe('split');
    expect(decideTransfer(transferOf({ kind: 'image' }), tooLarge, READING).kind).toBe('park');
    expect(decideTransfer(transferOf({ kind: 'video' }), tooLarge, READING).kind).toBe('park');
  });

  test('that the service repeats parks in the end; what the network does never does', () => {
    const before = (code: 'service.busy' | 'network.lost', times: number) =>
      transferOf({ lastCode: code, sameAnswers: times });
    const last = MAX_SERVICE_TRIES - 1;
    expect(decideTransfer(before('service.busy', last), fail('service.busy'), READING).kind).toBe(
      'park',
    );
    expect(
      decideTransfer(before('service.busy', last - 1), fail('service.busy'), READING).kind,
    ).toBe('again');
    expect(decideTransfer(before('network.lost', last), fail('service.busy'), READING).kind).toBe(
      'again',
    );
    expect(decideTransfer(before('network.lost', 1000), fail('network.lost'), READING).kind).toBe(
      'again',
    );
  });
});

const sources = fc.constantFrom<SourceOutcome>(COMPLETE, READING, CHANGED);
const transfers = fc
  .record({
    kind: fc.constantFrom('image', 'video', 'shard'),
    sameAnswers: fc.nat(20),
    doubtful: fc.boolean(),
    lastCode: fc.option(fc.constantFrom(...ERROR_CODES)),
  })
  .map(transferOf);

test('no error ever counts as sent, and every ambiguous one as unknown', () => {
  fc.assert(
    fc.property(transfers, fc.constantFrom(...ERROR_CODES), sources, (transfer, code, read) => {
      const { kind } = decideTransfer(transfer, fail(code), read);
      expect(kind).not.toBe('sent');
      const isAmbiguous = sluiceError(code).next === 'unknown' && read.kind !== 'changed';
      if (isAmbiguous) expect(kind).toBe('unknown');
      // Only what the service cannot have may go out again by itself.
      if (kind === 'again') expect(sluiceError(code).next).toBe('retry');
    }),
  );
});
