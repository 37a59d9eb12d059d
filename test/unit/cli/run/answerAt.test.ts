import { expect, test } from 'vitest';
import { answerAt } from '../../../../main/cli/run/uploadRun.ts';
import { createManualClock } from '../../../helpers/manualClock.ts';

const never = new Promise<never>(() => undefined);

test('a drive that does not answer is named after half a minute', async () => {
  const clock = createManualClock();
  const answer = answerAt({ clock, signal: new AbortController().signal }, '/silent', never);
  await expect.poll(() => clock.sleepers()).toBe(1);
  clock.advance(30_000);
  expect(await answer).toMatchObject({
    ok: false,
    error: { code: 'disk.missing', context: { path: '/silent', said: '/silent does not answer' } },
  });
});

test('a command that is interrupted does not wait for the drive', async () => {
  const over = new AbortController();
  const answer = answerAt({ clock: createManualClock(), signal: over.signal }, '/silent', never);
  over.abort();
  expect((await answer).ok).toBe(false);
});

test('what a look finds or throws is passed on, and nothing is waited for afterwards', async () => {
  const clock = createManualClock();
  const context = { clock, signal: new AbortController().signal };
  expect(await answerAt(context, '/there', Promise.resolve(1))).toEqual({ ok: true, value: 1 });
  await expect(answerAt(context, '/there', Promise.reject(new Error('gone')))).rejects.toThrow(
    'gone',
  );
  expect(clock.sleepers()).toBe(0);
});
