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
  /** Counts, shards and lists show what happened only this much later, ms. */
  listingDelayMs: number;
  /** False: no `Date` and `Last-Modified` headers, no `eventTimestamp` on shards, no metadata of batches. */
  statesTimes: boolean;
  /** A second object of one name in a batch: both are kept, the later replaces the earlier, or the later is refused. */
  sameName: 'both' | 'replaces' | 'refused';
  /** What the storage states about stored bytes; `odd-etag` is 32 hex digits that are no MD5, as of encrypted buckets. */
  states: 'none' | 'goog' | 'etag' | 'amz' | 'odd-etag';
  /** False: an address that was signed for GET refuses HEAD, as some storages do. */
  answersHead: boolean;
  /** One of so many uploads is answered 200 and thrown away; 0 for none. Shard members count one by one. */
  dropEvery: number;
  /** From the first request to the time when a proxy answers instead of the service, ms, and for how long; 0 for never. */
  proxyAfterMs: number;
  proxyForMs: number;
  /** Before one of so many uploads, another computer writes into the same batch; 0 for never. */
  otherEvery: number;
  /** Names of what the other computer writes: its own, or the name of the image or video that is being uploaded. */
  otherNames: 'own' | 'same';
  /** Answers carry `"status": "ok"` beside what they say, or do not: both are documented. */
  envelope: 'ok' | 'bare';
  /** Errors: `{"error": "words"}` or `{"error": {"message": "words"}}`: both are seen. */
  errors: 'text' | 'message';
  /** Count, shards, parts and list of a batch that does not exist: 404, or 200 with nothing in it. */
  unknownBatch: 'notFound' | 'zero';
  /** A job over a batch whose shards are still being indexed: refused with 409, or run over what is there (a violation). */
  jobWhileIngesting: 'refused' | 'taken';
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
  jobWhileIngesting: 'taken',
};

/** Changes settings by name. Throws when there is no setting of a name, or one of another type. */
export function applySettings(
  settings: Settings,
  wanted: Readonly<Record<string, number | string | boolean>>,
): Readonly<Record<string, unknown>> {
  for (const [name, value] of Object.entries(wanted)) {
    const known: unknown = Reflect.get(settings, name);
    if (typeof known !== typeof value) throw new Error(`no setting ${name} of this type`);
    Reflect.set(settings, name, value);
  }
  return { ...settings };
}
