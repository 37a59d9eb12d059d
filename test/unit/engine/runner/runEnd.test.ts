/** When a command gives up. */
import { expect, test } from 'vitest';
import { sluiceError } from '../../../../main/engine/core/errors.ts';
import { STANDARD_TIMES } from '../../../../main/engine/core/limits.ts';
import { failureEnd } from '../../../../main/engine/runner/runEnd.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../helpers/testPipeline.ts';

test('a command outlasts the wait for an archive that another computer never finished', () => {
  const pipeline = { ...createTestPipeline(createTestLedger()), times: STANDARD_TIMES };
  const never = () => null;
  const always = () => true;
  const running = {
    pipeline,
    blockedBy: never,
    blockedSince: never,
    failingSince: never,
    everAnswered: always,
    everAccepted: always,
  };
  // It may begin when the command does, and is looked at with pauses.
  const ignoredMs = STANDARD_TIMES.orphanShardMs + STANDARD_TIMES.confirmMaxMs;
  expect(failureEnd(running, 0, ignoredMs)).toBeNull();
  expect(failureEnd(running, 0, 2 * ignoredMs)).toEqual({ kind: 'stalled', cause: null });
  const cause = sluiceError('service.failed', { status: 500 });
  const failing = { ...running, blockedBy: () => cause };
  expect(failureEnd(failing, 0, 2 * ignoredMs)).toEqual({ kind: 'stalled', cause });
});
