/** What happens to a transfer after a try: the decision that exactly-once depends on. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../../../../../preload/contract/errors.ts';
import { fail, ok, sluiceError } from '../../../../../main/engine/core/errors.ts';
import type { SourceOutcome } from '../../../../../main/engine/core/model.ts';
import {
  decideTransfer,
  type AttemptResult,
} from '../../../../../main/engine/pipeline/send/transferOutcome.ts';
import type { Transfer } from '../../../../../main/engine/store/tables/transfers.ts';
import { transferOf } from '../../../../helpers/transfer.ts';

const COMPLETE: SourceOutcome = { kind: 'complete', hashes: ['a', 'b'] };
const READING: SourceOutcome = { kind: 'reading' };
const CHANGED: SourceOutcome = { kind: 'changed', index: 1, code: 'item.changed' };
const TAKEN = ok({ alreadyThere: false });
const THERE = ok({ alreadyThere: true });

function decide(transfer: Partial<Transfer>, tried: Partial<AttemptResult>) {
  const usual: AttemptResult = {
    stage: 'body',
    answer: TAKEN,
    sources: COMPLETE,
    comparison: 'nothing stated',
  };
  return decideTransfer(transferOf(transfer), { ...usual, ...tried });
}

function refused(status: number): AttemptResult['answer'] {
  return fail('service.refused', { status });
}

describe('an answer that the service took it', () => {
  test('counts when every source was read to its end', () => {
    expect(decide({}, {})).toEqual({ kind: 'sent', hashes: ['a', 'b'], proof: null });
  });
  test('proves nothing while sources were still being read', () => {
    expect(decide({}, { sources: READING }).kind).toBe('unknown');
  });
  test('proves nothing when a source changed', () => {
    expect(decide({}, { sources: CHANGED })).toEqual({
      kind: 'changed',
      members: [{ index: 1, code: 'item.changed' }],
    });
  });
  test('with an equal checksum is a proof; with another one the bytes go again', () => {
    expect(decide({}, { comparison: 'equal' })).toMatchObject({ kind: 'sent', proof: 'checksum' });
    expect(decide({}, { comparison: 'different' })).toMatchObject({
      kind: 'damaged',
      error: { code: 'upload.damaged', next: 'retry' },
    });
    expect(decide({}, { comparison: 'doubtful' })).toMatchObject({ kind: 'sent', proof: 'verify' });
  });
});

describe('an object of this name is there (412)', () => {
  test('is not ours on a first try, whatever is in it', () => {
    for (const kind of ['video', 'shard'] as const) {
      expect(decide({ kind, doubtful: false }, { answer: THERE }).kind).toBe('taken');
    }
  });
  test('is ours after a try that may have arrived: the address of a shard is its own', () => {
    for (const sources of [READING, CHANGED, COMPLETE]) {
      expect(decide({ kind: 'shard', doubtful: true }, { answer: THERE, sources })).toMatchObject({
        kind: 'sent',
        proof: null,
      });
    }
  });
  test('is compared before it counts where the name alone says so, or other bytes were stored', () => {
    expect(decide({ kind: 'video', doubtful: true }, { answer: THERE })).toMatchObject({
      kind: 'sent',
      proof: 'verify',
    });
    const damaged = { kind: 'shard', doubtful: true, proof: 'verify' } as const;
    expect(decide(damaged, { answer: THERE })).toMatchObject({ kind: 'sent', proof: 'verify' });
  });
});

describe('an error', () => {
  test.each([
    ['network.lost', { kind: 'again', keepAddress: true }],
    ['network.timeout', { kind: 'again', keepAddress: true }],
    ['service.busy', { kind: 'again', keepAddress: true }],
    ['service.failed', { kind: 'again', keepAddress: true }],
    ['upload.urlExpired', { kind: 'again', keepAddress: false, atOnce: true }],
    ['service.noAnswer', { kind: 'unknown' }],
    ['auth.rejected', { kind: 'again', keepAddress: true, atOnce: false }],
    ['service.quota', { kind: 'again', keepAddress: true, atOnce: false }],
    ['service.forbidden', { kind: 'again', keepAddress: true, atOnce: false }],
    ['net.offline', { kind: 'again', keepAddress: true, atOnce: false }],
    ['network.intercepted', { kind: 'again', keepAddress: true, atOnce: false }],
    ['network.unresolved', { kind: 'again', keepAddress: true, atOnce: false }],
    ['network.proxyAuth', { kind: 'again', keepAddress: true, atOnce: false }],
  ] as const)('%s', (code, wanted) => {
    expect(decide({}, { answer: fail(code), sources: READING })).toMatchObject(wanted);
  });

  test('of a source comes before whatever the service says', () => {
    for (const code of ['network.lost', 'service.noAnswer', 'service.refused'] as const) {
      expect(decide({}, { answer: fail(code), sources: CHANGED }).kind).toBe('changed');
    }
  });

  test('a page after a body that may have arrived: the service is asked first', () => {
    const error = { ...sluiceError('network.intercepted'), next: 'unknown' } as const;
    expect(decide({}, { answer: { ok: false, error }, sources: COMPLETE }).kind).toBe('unknown');
  });

  test('an address that is refused three times is asked for with a pause', () => {
    const answer = fail('upload.urlExpired');
    expect(decide({ addresses: 2 }, { answer })).toMatchObject({ kind: 'again', atOnce: true });
    expect(decide({ addresses: 3 }, { answer })).toMatchObject({ kind: 'again', atOnce: false });
  });
});

describe('a refusal', () => {
  test.each([400, 409, 413, 422])('%i of a video is about that file', (status) => {
    for (const stage of ['address', 'body'] as const) {
      expect(decide({ kind: 'video' }, { stage, answer: refused(status) }).kind).toBe('refused');
    }
  });
  test.each([400, 413, 422])('%i of an image is about that file', (status) => {
    expect(decide({ kind: 'image' }, { answer: refused(status) }).kind).toBe('refused');
  });
  test('409 of an image says that its name is taken: by others, or by an earlier try', () => {
    const answer = refused(409);
    expect(decide({ kind: 'image' }, { answer })).toMatchObject({ kind: 'taken' });
    const closed = fail('service.refused', { status: 409, ofBatch: true });
    expect(decide({ kind: 'image' }, { answer: closed })).toMatchObject({ kind: 'hold' });
    expect(decide({ kind: 'image', doubtful: true }, { answer: closed }).kind).toBe('hold');
    expect(decide({ kind: 'video' }, { stage: 'address', answer: closed }).kind).toBe('hold');
    expect(decide({ kind: 'image', doubtful: true }, { answer })).toMatchObject({
      kind: 'sent',
      proof: 'verify',
    });
  });
  test('409 of the registration of a video says the same only in words', () => {
    const taken = fail('service.refused', { status: 409, said: 'An item with this name exists' });
    const other = fail('service.refused', { status: 409, said: 'conflict' });
    const decided = (answer: AttemptResult['answer'], stage: AttemptResult['stage']) =>
      decide({ kind: 'video' }, { stage, answer, sources: READING }).kind;
    expect(decided(taken, 'address')).toBe('taken');
    expect([decided(other, 'address'), decided(taken, 'body')]).toEqual(['refused', 'refused']);
    expect(decide({}, { stage: 'address', answer: taken }).kind).toBe('hold');
  });
  test.each([404, 405, 411, 415, 501])('%i is about the batch', (status) => {
    expect(decide({ kind: 'image' }, { answer: refused(status) }).kind).toBe('hold');
    const video = decide({ kind: 'video' }, { stage: 'address', answer: refused(status) });
    expect(video.kind).toBe('hold');
  });
  test('of a shard is about the batch, but for its size', () => {
    expect(decide({}, { stage: 'address', answer: refused(409) }).kind).toBe('hold');
    expect(decide({}, { stage: 'address', answer: refused(413) }).kind).toBe('split');
    expect(decide({}, { stage: 'body', answer: refused(400) }).kind).toBe('split');
  });
});

const sources = fc.constantFrom<SourceOutcome>(COMPLETE, READING, CHANGED);
const transfers = fc.record({
  kind: fc.constantFrom('image' as const, 'video' as const, 'shard' as const),
  addresses: fc.nat(1000),
  doubtful: fc.boolean(),
  lastCode: fc.option(fc.constantFrom(...ERROR_CODES)),
});
const PASSING: readonly ErrorCode[] = ERROR_CODES.filter(
  (code) => /^net(work)?\./.test(code) || ['service.busy', 'service.failed'].includes(code),
);

test('no error ever counts as sent, and every ambiguous one as unknown', () => {
  fc.assert(
    fc.property(transfers, fc.constantFrom(...ERROR_CODES), sources, (transfer, code, read) => {
      const { kind } = decide(transfer, { answer: fail(code), sources: read });
      expect(kind).not.toBe('sent');
      const isAmbiguous = sluiceError(code).next === 'unknown' && read.kind !== 'changed';
      if (isAmbiguous) expect(kind).toBe('unknown');
      // Only what the service cannot have may be sent again automatically.
      if (kind === 'again') expect(['retry', 'wait']).toContain(sluiceError(code).next);
    }),
  );
});

test('causes in the network or a busy service never give up a file, however often', () => {
  fc.assert(
    fc.property(transfers, fc.constantFrom(...PASSING), (transfer, code) => {
      const { kind } = decide(transfer, { answer: fail(code), sources: READING });
      expect(kind).toBe('again');
    }),
  );
});
