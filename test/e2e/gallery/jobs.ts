import type { JobRow } from '../../../preload/contract/records.ts';
import { jobDetail, JOBS } from './jobData.ts';
import { answer, fail, type Handlers, LONG_NAME, pageOf, type Scenario } from './scenario.ts';

function jobsOf(scenario: Scenario): readonly JobRow[] {
  if (scenario === 'first') return [];
  return scenario === 'long' ? JOBS.map((job) => ({ ...job, name: LONG_NAME })) : JOBS;
}

export function handlers(scenario: Scenario): Handlers {
  const jobs = jobsOf(scenario);
  return {
    'job.page': (asked) => {
      if (scenario === 'failing') return fail('service.failed', 'retry', { said: '503' });
      const search = asked.search.toLowerCase();
      const fits = ({ jobId, name }: JobRow): boolean =>
        `${jobId} ${name}`.toLowerCase().includes(search);
      return pageOf(jobs.filter(fits), asked);
    },
    'job.detail': ({ jobId }) => {
      const found = jobs.find((job) => job.jobId === jobId);
      return found === undefined ? fail('service.notFound') : answer(jobDetail(found));
    },
    'job.abort': () => answer({ givenUp: false }),
    'job.lastOptions': () =>
      answer({
        workflowId: 'count-cups',
        machineType: 'gpu',
        workersPerMachine: 4,
        processingTimeoutSeconds: 7200,
        aggregationFormat: 'csv',
        imageInputName: 'image',
        workflowParameters: { threshold: 0.4 },
      }),
  };
}
