/** Answers in another form than the documented one. */
import { expect, it } from 'vitest';
import { jobAnswer } from '../../../../../main/engine/service/schemas/processing.ts';
import { wordsOf } from '../../../../../main/engine/service/schemas/readJson.ts';

it.each([
  [{ status: 'queued' }, 'queued'],
  [{ status: 'RUNNING' }, 'running'],
  [{ status: 'PROCESSING' }, 'running'],
  [{ status: 'warming up' }, 'queued'],
  [{ status: 'completed' }, 'succeeded'],
  [{ status: 'FINISHED' }, 'succeeded'],
  [{ status: 'failed' }, 'failed'],
  [{ status: 'completed', error: 'it broke' }, 'failed'],
  [{ status: 'completed', isTerminal: false }, 'queued'],
  [{ status: 'ok', currentStage: 'export' }, 'running'],
])('a job with %j is %s', (fields, state) => {
  expect(jobAnswer().parse({ job: { jobId: 'j', ...fields } }).state).toBe(state);
});

it('the words of an error are found in any case', () => {
  expect(wordsOf('{"Error":"no such project"}')).toBe('no such project');
});
