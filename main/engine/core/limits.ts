/** Numbers that shape the engine, each with its unit, reason and source. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const MIB = 1024 * 1024;

/** Largest single image that staging takes, bytes (service-api §10: 20,971,520). */
export const MAX_IMAGE_BYTES = 20_971_520;
/** Members of one shard, the notification member included (the service's documents: up to 500). */
export const MAX_SHARD_MEMBERS = 500;
/** Bytes of one shard: keeps a lost connection's repeat short. Ours. */
export const MAX_SHARD_BYTES = 128 * MIB;
/** A shard smaller than this is not split further to keep lanes busy. Ours. */
export const MIN_SHARD_MEMBERS = 100;
/** More images than this in a one-shot upload go as shards (the service's own client draws the same line). */
export const SINGLE_MODE_MAX_IMAGES = 32;
/** Reads of source files, bytes (measured: 64 KiB reads halve the rate). */
export const READ_CHUNK_BYTES = MIB;
/** Files up to this size are read whole and hashed whole at identification, bytes. */
export const WHOLE_HASH_MAX_BYTES = MIB;

/** Lanes at start, and the most that adapt to. */
export const LANES_START = 4;
export const LANES_MAX = 16;

/** First and longest pause between tries; full jitter between. */
export const BACKOFF_FIRST_MS = SECOND;
export const BACKOFF_MAX_MS = 5 * MINUTE;
/** While this process may open no more files, the pause is that of this many tries: 4 s at most. Ours. */
export const SHORTAGE_TRIES = 3;
/** The same answer of the service to the same job or output this many times parks it. */
export const MAX_SERVICE_TRIES = 5;
/** Files in a row that the service refuses with the same answer: it refuses the batch, not the files. Ours. */
export const REFUSALS_IN_A_ROW = 3;
/** Fresh addresses asked for at once when a signed one is refused; then with a growing pause. Ours. */
export const QUICK_ADDRESSES = 3;
/** No byte moved for this long breaks a connection. */
export const STALL_MS = 60 * SECOND;
/** An API answer must begin within this time. */
export const API_STALL_MS = 60 * SECOND;
/** An API answer must be complete within this time of its head: one that drips forever holds nothing up. */
export const API_ANSWER_MS = 2 * MINUTE;

/** A service may take in an upload whose answer was lost this much later than its last byte. */
export const LATE_COMMIT_MS = 30 * SECOND;
/**
 * Assumed time from the last byte of a body to its appearance in the list while none was measured. Ours: slower than the
 * slowest service we know of (50 s).
 */
export const UNMEASURED_LAG_MS = 3 * MINUTE;
/** What the service took and does not list after this time is asked about as if its answer had been lost. Ours. */
export const SENT_PATIENCE_MS = 10 * MINUTE;
/** The longest pause of operations that the service or its storage does not take at the moment. */
export const GATE_MAX_MS = 5 * MINUTE;
/** While the connection itself is down, the service is asked at least so often. Ours. */
export const PROBE_MAX_MS = 15 * SECOND;
/** A shard without any of our members is ignored after this time. */
export const ORPHAN_SHARD_MS = 15 * MINUTE;
/**
 * Where the service states no times, a shard counts from when it was first seen, and is ignored after this fraction of the
 * time: every command starts over, and must get past it with the longest pause between two looks before it gives up.
 */
export const UNTIMED_ORPHAN_FRACTION = 0.55;
/** Without a new confirmation for this long a one-shot command gives up waiting. */
export const CONFIRM_PATIENCE_MS = 15 * MINUTE;
/** A one-shot command whose service has never answered gives up after this. */
export const UNREACHABLE_START_MS = MINUTE;
/** The same, once it had answered. */
export const UNREACHABLE_MIDWAY_MS = 10 * MINUTE;
/** Results up to this size wait in memory until they are whole, are written at once, and are fetched again after an interruption. Ours. */
export const SMALL_FILE_BYTES = 256 * 1024;
/** A command that ends waits so long for a watched directory that is away. Ours. */
export const MISSING_PATIENCE_MS = MINUTE;

/** Staging keeps everything this long (service-api §10). */
export const RETENTION_MS = 7 * 24 * 60 * MINUTE;
/** A warning about results that were not fetched comes this long before they end, and once more when it is urgent (the window's tones). */
export const RESULTS_SOON_MS = 48 * 60 * MINUTE;
export const RESULTS_VERY_SOON_MS = 12 * 60 * MINUTE;
/** A watched file whose end is missing may still be coming for this long after its last touch. */
export const TRUNCATED_GRACE_MS = MINUTE;
/** How long the directories of a rule may take to answer when it is entered: a network drive that hangs. Ours. */
export const DIRECTORY_CHECK_MS = 10 * SECOND;
/**
 * A file or directory that a passing condition keeps us from (a lock, a network drive) is looked at again after a pause
 * that doubles from the first to the longest; after so many looks, about a minute, it is reported as a problem. Ours.
 */
export const FILE_BUSY_FIRST_MS = SECOND;
export const FILE_BUSY_MAX_MS = 30 * SECOND;
export const FILE_BUSY_TRIES = 7;
/** So many times in a row a file may read differently than expected before it is parked as unstable. Ours. */
export const MAX_REREADS = 10;
/** So many of them are counted against an unstable file that was touched and came to rest again. Ours. */
export const REREADS_AFTER_UNSTABLE = MAX_REREADS - 2;
/** Files that a scan hands on at once: a directory may hold hundreds of thousands. Ours. */
export const SCAN_CHUNK_FILES = 1_000;
/** A full scan of every watch. */
export const RESCAN_MS = 10 * MINUTE;

/** A wait older than this is shown as needing attention. It parks nothing. */
export const WAIT_ATTENTION_MS = 60 * MINUTE;
/** Files that the service took are listed within seconds; only after this does a person hear that they are not. Ours. */
export const UNLISTED_SHOWN_MS = 30 * SECOND;
/** Files that are written or held by another program are shown as waiting after this. Ours. */
export const UNSTABLE_SHOWN_MS = 30 * SECOND;

/** Pages of one listing; more is an endless list. A million files at the smallest page size seen (100). */
export const MAX_PAGES = 20_000;
/** JSON answers larger than this are refused, bytes. */
export const MAX_JSON_BYTES = 64 * MIB;
/** How much of an unreadable answer is kept in the log, bytes. */
export const KEPT_ANSWER_BYTES = 2048;
/** Longest name at the service, bytes. */
export const MAX_NAME_BYTES = 255;

/**
 * So long the service must say that it knows no such job before that is believed; each time the job is started again, it is
 * doubled. Ours: longer than the outages that we know of (25 s).
 */
export const JOB_MISSING_MS = 30 * SECOND;
/**
 * A batch that the service must know and denies, or that lost everything it listed, is believed to be so after this time. Ours: longer
 * than an outage in which a service denies what it has.
 */
export const ODD_BATCH_MS = 60 * MINUTE;
/** A one-shot command whose job start is answered "not found" tries on for this long: the id may be mistyped. Ours. */
export const START_NOT_FOUND_MS = 2 * MINUTE;
/** While webhooks arrive, the longest pause between two questions grows by this factor. Ours. */
export const HINTED_PAUSE_FACTOR = 6;
/** A ledger up to this size is looked through at every start. Measured: 37 ms for 21 MiB, 75,000 rows, from the page cache. */
export const QUICK_CHECK_BYTES = 32 * 1024 * 1024;

/** Results that are not listed yet, or not all, are looked for again after this, ms. Ours: exports are listed within seconds. */
export const RESULTS_AGAIN_MS = 30 * SECOND;
/** A one-shot command looks for results that long and then says that they are not all there, ms. Ours. */
export const RESULTS_PATIENCE_MS = 2 * MINUTE;
/** What was given up, or a batch that is held, for a reason of the service or the network is tried again after this, ms. Ours. */
export const PARKED_AGAIN_MS = 60 * MINUTE;
/** Downloads of results at a time on one connection; each fetches several files at once. Ours. */
export const DOWNLOADS_AT_ONCE = 2;
/** A key that is refused midway is believed to be refused after this, ms. Ours. */
export const KEY_REFUSED_MIDWAY_MS = 30 * SECOND;
