/** Checks jobs and their results at the end of a seed: everything was processed once, and the results are on the disk. */
import type { DatabaseSync } from 'node:sqlite';
import type { Computer, Ground } from './computer.ts';
import { contentHash } from '../../main/engine/files/contentHash.ts';
import { hasExpired, type Job } from './serviceState.ts';
import { RESULTS } from './watchPlan.ts';

interface LedgerJob {
  readonly id: string;
  readonly batchId: string;
  readonly state: string;
  readonly code: string | null;
  readonly downloadTo: string | null;
  readonly isFetched: boolean;
}

export function readJobs(database: DatabaseSync) {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const jobs = database.prepare('SELECT * FROM jobs ORDER BY id').all();
  const filled = database
    .prepare(
      `SELECT batch_id FROM batches WHERE watch_id IS NOT NULL AND state <> 'expired'
         AND EXISTS (SELECT 1 FROM items WHERE batch_row = batches.id AND items.state = 'confirmed') ORDER BY id`,
    )
    .all();
  return {
    /** Batches of watches that have confirmed files and did not expire. */
    filled: filled.map((row) => text(row['batch_id'])),
    jobs: jobs.map((row) => ({
      id: text(row['job_id']),
      batchId: text(row['batch_id']),
      state: text(row['state']),
      code: row['last_code'] === null ? null : text(row['last_code']),
      downloadTo: row['download_to'] === null ? null : text(row['download_to']),
      isFetched: row['fetched'] === 1,
    })),
  };
}

/** What a ledger records about jobs. */
export type LedgerJobs = ReturnType<typeof readJobs>;

/** The job ended as the service says, and processed its whole batch. */
function checkEndOf({ service }: Ground, ledger: LedgerJob, job: Job | null): string | null {
  const words = `job ${ledger.id} over ${ledger.batchId}: ${ledger.state} ${ledger.code ?? ''}`;
  switch (ledger.state) {
    case 'succeeded':
      return job === null || job.fails ? `${words}, and the service knows better` : null;
    case 'failed':
      return job?.fails === true ? null : `${words}, and the service knows better`;
    case 'parked':
      // There is nothing left to process.
      return hasExpired(service.state, ledger.batchId) ? null : `parked: ${words}`;
    default:
      return `not at rest: ${words}`;
  }
}

/** Every file of every part exists and is what the service produced, or the user removed it. */
function checkResults(
  { service }: Ground,
  { disk, spoiled }: Computer,
  ledger: LedgerJob,
  job: Job,
): readonly string[] {
  const { downloadTo } = ledger;
  if (downloadTo === null || ledger.state !== 'succeeded') return [];
  const words = `of job ${ledger.id} ${ledger.code ?? ''}`;
  if (!ledger.isFetched)
    return hasExpired(service.state, `${job.id}-export`) ? [] : [`results not fetched ${words}`];
  const here = new Set(
    disk.filesBelow(downloadTo).flatMap((path) => {
      const node = disk.get(path);
      return node?.type === 'file' && !path.endsWith('.part') ? [contentHash(node.bytes)] : [];
    }),
  );
  return job.results
    .filter(({ hash }) => !here.has(hash) && !spoiled.has(hash))
    .map(({ name, shardId }) => `fetched and not there: ${shardId ?? ''}/${name} ${words}`);
}

export function checkJobs(
  ground: Ground,
  computer: Computer,
  { jobs, filled }: LedgerJobs,
  items: readonly { batchId: string | null; state: string; path: string; hash: string | null }[],
): readonly string[] {
  const { state } = ground.service;
  const problems = jobs.flatMap((ledger) => {
    const job = state.jobs.get(ledger.id) ?? null;
    const ended = checkEndOf(ground, ledger, job);
    if (job === null) return ended === null ? [] : [ended];
    const processed = new Set(job.inputs.map(({ hash }) => hash));
    const left = items.filter(
      (item) =>
        item.batchId === ledger.batchId &&
        item.state === 'confirmed' &&
        !processed.has(item.hash ?? ''),
    );
    return [
      ...(ended === null ? [] : [ended]),
      ...left.map(({ path }) => `job ${ledger.id} ran without ${path}`),
      ...checkResults(ground, computer, ledger, job),
    ];
  });
  const wantsJobs = computer.plan.watch?.rules.at(-1)?.rule.job !== null;
  const worked = new Set(jobs.map(({ batchId }) => batchId));
  const idle =
    computer.plan.watch !== null && wantsJobs ? filled.filter((id) => !worked.has(id)) : [];
  const parts = computer.disk.filesBelow(RESULTS).filter((path) => path.endsWith('.part'));
  const isAllFetched = jobs.every(({ isFetched, downloadTo }) => isFetched || downloadTo === null);
  return [
    ...problems,
    ...idle.map((id) => `batch ${id} was closed, and has no job`),
    ...(isAllFetched ? parts.map((path) => `left over: ${path}`) : []),
  ];
}
