/** How the service behaves: speeds, limits and page sizes. Tests may change them while it runs. */
export interface Settings {
  /** From the last byte of a shard's PUT to the end of its indexing, ms. */
  indexingMs: number;
  /** From the start of a job to its first stage, ms. */
  queueMs: number;
  /** Duration of one stage, ms, and in how many steps it advances. */
  stageMs: number;
  stageTicks: number;
  tasksPerStage: number;
  /** Page size of staging lists if the request names none; jobs lists use 10. */
  pageSize: number;
  /** A page of any list has at most so many rows, whatever a request names. */
  largestPage: number;
  retentionMs: number;
  /** Lifetime of a signed address, ms. */
  signedUrlMs: number;
  /** Status of an expired address: Google's storage answers 400 (ExpiredToken), others 403. */
  expiredUrlStatus: number;
  /** What a second PUT to an already filled address does: 412, silent replacement, or a second object. */
  repeatedPut: 'refused' | 'replaces' | 'doubles';
  maxImageBytes: number;
  maxVideoBytes: number;
  maxShardBytes: number;
  maxShardMembers: number;
  /** Number of results in one archive of a job's output. */
  exportShardSize: number;
  /** Tries of one webhook delivery and the pause between, ms. */
  webhookTries: number;
  webhookRetryMs: number;
  /** Whether webhooks arrive as promised, each twice, or not at all. */
  webhooks: 'once' | 'twice' | 'never';
  /** Counts, shards and lists show changes only this much later, ms. */
  listingDelayMs: number;
  /** If false: no `Date` and `Last-Modified` headers, no `eventTimestamp` on shards, no metadata of batches. */
  statesTimes: boolean;
  /** For a second object of the same name in a batch: both are kept, the later replaces the earlier, or the later is refused. */
  sameName: 'both' | 'replaces' | 'refused';
  /** What the storage states about stored bytes; `odd-etag` is 32 hex digits that are not an MD5, as in encrypted buckets. */
  states: 'none' | 'goog' | 'etag' | 'amz' | 'odd-etag';
  /** If false, an address that was signed for GET refuses HEAD, as some storages do. */
  answersHead: boolean;
  /** Every n-th upload is answered 200 and thrown away; 0 for none. Shard members count individually. */
  dropEvery: number;
  /** How long after the first request a proxy answers instead of the service, ms, and for how long; 0 for never. */
  proxyAfterMs: number;
  proxyForMs: number;
  /** Before every n-th upload, another computer writes into the same batch; 0 for never. */
  otherEvery: number;
  /** Names of the other computer's files: its own, or the name of the image or video that is being uploaded. */
  otherNames: 'own' | 'same';
  /** Whether answers also carry `"status": "ok"`: both forms are documented. */
  envelope: 'ok' | 'bare';
  /** Errors: `{"error": "words"}` or `{"error": {"message": "words"}}`: both occur. */
  errors: 'text' | 'message';
  /** Count, shards, parts and list of a batch that does not exist: 404, or 200 with nothing in it. */
  unknownBatch: 'notFound' | 'zero';
}

const DAY_MS = 24 * 60 * 60 * 1000;
const GIB = 1024 ** 3;

/** The default settings. */
export const STANDARD_SETTINGS: Settings = {
  indexingMs: 50,
  queueMs: 50,
  stageMs: 300,
  stageTicks: 4,
  tasksPerStage: 4,
  pageSize: 100,
  largestPage: 1000,
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
  listingDelayMs: 0,
  statesTimes: true,
  sameName: 'both',
  states: 'none',
  answersHead: true,
  dropEvery: 0,
  proxyAfterMs: 0,
  proxyForMs: 0,
  otherEvery: 0,
  otherNames: 'own',
  envelope: 'ok',
  errors: 'text',
  unknownBatch: 'notFound',
};

/** Changes settings by name. Throws when a setting does not exist or has another type. */
export function applySettings(
  settings: Settings,
  wanted: Readonly<Record<string, number | string | boolean>>,
): void {
  for (const [name, value] of Object.entries(wanted)) {
    const known: unknown = Reflect.get(settings, name);
    if (typeof known !== typeof value) throw new Error(`no setting ${name} of this type`);
    Reflect.set(settings, name, value);
  }
}
