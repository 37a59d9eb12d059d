/** How the service behaves: paces, limits and page sizes. Tests may change them while it runs. */
export interface Settings {
  /** From the last byte of a shard's PUT to the end of its indexing, ms. */
  indexingMs: number;
  /** From the start of a job to its first stage, ms. */
  queueMs: number;
  /** Length of one stage, ms, and in how many steps it advances. */
  stageMs: number;
  stageTicks: number;
  tasksPerStage: number;
  /** Page size of staging lists where the request names none; jobs lists use 10. */
  pageSize: number;
  retentionMs: number;
  /** Life of a signed address, ms. */
  signedUrlMs: number;
  /** Status of an expired address: Google's storage answers 400 (ExpiredToken), others 403. */
  expiredUrlStatus: number;
  /** What a second PUT to an address that has its object already does: 412, replaced unseen, or taken in twice. */
  repeatedPut: 'refused' | 'replaces' | 'doubles';
  maxImageBytes: number;
  maxVideoBytes: number;
  maxShardBytes: number;
  maxShardMembers: number;
  /** Results in one archive of a job's output. */
  exportShardSize: number;
  /** Tries of one webhook delivery and the pause between, ms. */
  webhookTries: number;
  webhookRetryMs: number;
  /** Webhooks: as promised, each one twice, or not at all. */
  webhooks: 'once' | 'twice' | 'never';
}

const DAY_MS = 24 * 60 * 60 * 1000;
const GIB = 1024 ** 3;

/** What a service starts with. */
export const STANDARD_SETTINGS: Settings = {
  indexingMs: 50,
  queueMs: 50,
  stageMs: 300,
  stageTicks: 4,
  tasksPerStage: 4,
  pageSize: 100,
  retentionMs: 7 * DAY_MS,
  signedUrlMs: DAY_MS,
  expiredUrlStatus: 403,
  repeatedPut: 'refused',
  maxImageBytes: 20_971_520,
  maxVideoBytes: 5 * GIB,
  maxShardBytes: 5 * GIB,
  maxShardMembers: 500,
  exportShardSize: 50,
  webhookTries: 3,
  webhookRetryMs: 200,
  webhooks: 'once',
};
