/** Numbers that shape the engine, each with its unit, reason and source. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const MIB = 1024 * 1024;

/** Largest single image that staging accepts, in bytes (service-api §10: 20,971,520). */
export const MAX_IMAGE_BYTES = 20_971_520;
/** Most members of one shard, including the notification member (the service's documents: up to 500). */
export const MAX_SHARD_MEMBERS = 500;
/** Most bytes of one shard: keeps the repeat after a lost connection short. Our choice. */
export const MAX_SHARD_BYTES = 128 * MIB;
/** Shards are not made smaller than this just to keep all lanes busy. Our choice. */
export const MIN_SHARD_MEMBERS = 100;
/** A one-shot upload of more images than this uses shards (the service's own client has the same threshold). */
export const SINGLE_MODE_MAX_IMAGES = 32;
/** An upload of up to this many small files needs no thread of its own: starting one takes longer. Our choice. */
export const FEW_FILES = 32;
/** Size of one read from a source file, in bytes (measured: 64 KiB reads halve the rate). */
export const READ_CHUNK_BYTES = MIB;
/** Files up to this size are read and hashed completely at identification, in bytes. */
export const WHOLE_HASH_MAX_BYTES = MIB;

/** Number of lanes at start, and the most that adaptation may reach. */
export const LANES_START = 4;
export const LANES_MAX = 16;

/** First and longest pause between tries; with full jitter. */
export const BACKOFF_FIRST_MS = SECOND;
export const BACKOFF_MAX_MS = 5 * MINUTE;
/** While this process cannot open more files, each pause is as long as after this many tries: 4 s at most. Our choice. */
export const SHORTAGE_TRIES = 3;
/** A job or output is parked after the service gives it the same answer this many times. */
export const MAX_SERVICE_TRIES = 5;
/**
 * When this many files in a row are refused with the same answer, and nothing was ever accepted, the service refuses the batch, not the
 * files. Our choice.
 */
export const REFUSALS_IN_A_ROW = 3;
/** The same if other files were accepted before, or have yet to be tried: these may be the bad files of a directory. Our choice. */
export const REFUSALS_AMONG_OTHERS = 25;
/**
 * How often planning looks for a file whose name the service called taken, or once showed: for two minutes, so that a list that lags behind
 * can show it. Our choice.
 */
export const NAME_LOOKS = 8;
/**
 * A gateway that answers within this time that the service did not (504) has hardly waited for it, in ms. Our choice: those that wait do so for
 * 10 s or more.
 */
export const GATEWAY_AT_ONCE_MS = 5_000;
/** When signed addresses are refused, this many fresh ones are requested at once, further ones after a growing pause. Our choice. */
export const QUICK_ADDRESSES = 3;
/** A connection on which no byte moves for this long is closed. */
export const STALL_MS = 60 * SECOND;
/** An API answer must begin within this time. */
export const API_STALL_MS = 60 * SECOND;
/**
 * An API answer must be complete within this time after its head, unless it keeps arriving quickly: an answer that only trickles must not
 * block anything forever.
 */
export const API_ANSWER_MS = 2 * MINUTE;

/**
 * Where the service states no times, the age of a shard counts from when it was first seen, and the shard is ignored after this fraction of
 * `orphanShardMs`. Every command starts counting from zero, and must reach that age before it gives up waiting, even when the pauses
 * between two checks are longest.
 */
export const UNTIMED_ORPHAN_FRACTION = 0.55;
/**
 * A one-shot command gives up waiting when nothing was confirmed for this long, unless a doubt takes longer to settle (runner/runEnd.ts).
 */
export const CONFIRM_PATIENCE_MS = 15 * MINUTE;
/** The same while files are sent again and again but never arrive. Our choice: enough to send once more what was lost in an outage. */
export const RESENDING_PATIENCE_MS = 60 * MINUTE;
/** A one-shot command whose service has never answered gives up after this. */
export const UNREACHABLE_START_MS = MINUTE;
/** The same, if the service answered before. */
export const UNREACHABLE_MIDWAY_MS = 10 * MINUTE;
/** Results up to this size are collected in memory and written in one go; an interrupted one is fetched again. Our choice. */
export const SMALL_FILE_BYTES = 256 * 1024;
/** How long a command that ends by itself waits for a missing watched directory. Our choice. */
export const MISSING_PATIENCE_MS = MINUTE;

/** Staging keeps everything this long (service-api §10). */
export const RETENTION_MS = 7 * 24 * 60 * MINUTE;
/**
 * A warning about results that were not downloaded appears this long before they expire, and again when it is urgent (the window's tones).
 */
export const RESULTS_SOON_MS = 48 * 60 * MINUTE;
export const RESULTS_VERY_SOON_MS = 12 * 60 * MINUTE;
/** A watched file whose end is missing counts as still being copied for this long after its last change. */
export const TRUNCATED_GRACE_MS = MINUTE;
/** How long a check of the directories of a new rule may take: a network drive can hang. Our choice. */
export const DIRECTORY_CHECK_MS = 10 * SECOND;
/** How long the drive of the files to upload may take to answer: a disk that sleeps needs 10 s to start. Our choice. */
export const DRIVE_ANSWER_MS = 30 * SECOND;
/**
 * A file or directory that is temporarily unavailable (a lock, a network drive) is checked again after a pause that doubles
 * from the first to the longest. After this many tries, about a minute, it is reported as a problem. Our choice.
 */
export const FILE_BUSY_FIRST_MS = SECOND;
export const FILE_BUSY_MAX_MS = 30 * SECOND;
export const FILE_BUSY_TRIES = 7;
/** How many times in a row a file may read differently than expected before it is parked as unstable. Our choice. */
export const MAX_REREADS = 10;
/** How many of these tries count as used for a file that was parked as unstable and is checked again after it changed. Our choice. */
export const REREADS_AFTER_UNSTABLE = MAX_REREADS - 2;
/** How many files a scan passes on at a time: a directory may hold hundreds of thousands. Our choice. */
export const SCAN_CHUNK_FILES = 1_000;

/** A wait older than this is shown as needing attention. It parks nothing. */
export const WAIT_ATTENTION_MS = 60 * MINUTE;
/** Accepted files are usually listed within seconds: a person is told that they are not listed only after this time. Our choice. */
export const UNLISTED_SHOWN_MS = 30 * SECOND;
/** Files that another program writes or holds are shown as waiting after this time. Our choice. */
export const UNSTABLE_SHOWN_MS = 30 * SECOND;
/** A file of a watch that keeps changing for this long, beyond its settle time, is shown as waiting. Our choice. */
export const CHANGING_SHOWN_MS = 2 * MINUTE;

/** Most pages of one listing; a longer one counts as endless. Enough for a million files at the smallest page size seen (100). */
export const MAX_PAGES = 20_000;
/** JSON answers larger than this are refused, bytes. */
export const MAX_JSON_BYTES = 64 * MIB;
/** How much of an unreadable answer is kept in the log, bytes. */
export const KEPT_ANSWER_BYTES = 2048;
/** Longest name that the service accepts, in bytes. */
export const MAX_NAME_BYTES = 255;

/**
 * How long the service must keep saying that it does not know a job before Sluice believes it; doubled each time the job is started again.
 * Our choice: longer than the outages that we know of (25 s).
 */
export const JOB_MISSING_MS = 30 * SECOND;
/**
 * How long the service must say that it does not know a batch that it should know, or list nothing of a batch that it listed before, until
 * Sluice believes it. Our choice: longer than an outage in which a service does not find what it has.
 */
export const ODD_BATCH_MS = 60 * MINUTE;
/** A one-shot command whose job start is answered "not found" keeps trying for this long: the id may be mistyped. Our choice. */
export const START_NOT_FOUND_MS = 2 * MINUTE;
/** While webhooks arrive, the longest pause between two polls grows by this factor. Our choice. */
export const HINTED_PAUSE_FACTOR = 6;
/** A ledger up to this size is checked at every start. Measured: 37 ms for 21 MiB, 75,000 rows, from the page cache. */
export const QUICK_CHECK_BYTES = 32 * 1024 * 1024;

/** Concurrent downloads of results on one connection; each fetches several files at once. Our choice. */
export const DOWNLOADS_AT_ONCE = 2;
/** The refusal of a key that worked before is believed only once it has lasted this long, in ms. Our choice. */
export const KEY_REFUSED_MIDWAY_MS = 30 * SECOND;

/** Times of a pipeline, in ms. Tests pass shorter ones. */
export const STANDARD_TIMES = {
  /** How long after its last byte the service may still accept an upload whose answer was lost. */
  lateCommitMs: 30 * SECOND,
  /**
   * How much later than others a body whose request timed out may be committed: a request that took API_STALL_MS may take as long again.
   * Our choice: twice as long.
   */
  slowCommitMs: 2 * API_STALL_MS,
  /** Assumed time from a body's last byte to its place in the list, until measured. Our choice: slower than any service we know (50 s). */
  unmeasuredLagMs: 3 * MINUTE,
  /** A shard without any of our members is ignored after this time. */
  orphanShardMs: 15 * MINUTE,
  /** An accepted file that is still not listed after this time is treated as if its answer had been lost. Our choice. */
  sentPatienceMs: 10 * MINUTE,
  backoffFirstMs: BACKOFF_FIRST_MS,
  backoffMaxMs: BACKOFF_MAX_MS,
  /** The first and the longest pause between two looks at the list of a batch. */
  confirmFirstMs: 80,
  confirmMaxMs: 10_000,
  /** A comparison with a listed object that fails only for now is repeated for this long before its name alone counts. Our choice. */
  comparePatienceMs: 2 * MINUTE,
  /**
   * The same for a comparison that the storage refuses: some storages refuse it always, others only until a key or a clock is corrected.
   * Our choice.
   */
  refusalPatienceMs: 20_000,
  /**
   * After a file was sent to see whether the storage alters files, we wait this long for a file of another computer, which would explain
   * the change. Our choice.
   */
  trialPatienceMs: 3 * MINUTE,
  retentionMs: RETENTION_MS,
  /** The first and the longest pause of operations that the service or its storage does not accept at the moment. */
  gateFirstMs: BACKOFF_FIRST_MS,
  gateMaxMs: 5 * MINUTE,
  /** The longest pause between probes while the connection itself is down. Our choice. */
  probeMaxMs: 15 * SECOND,
  /** Results that are not all listed yet are looked up again after this time. Our choice: exports are listed within seconds. */
  resultsAgainMs: 30 * SECOND,
  /** How long a one-shot command looks for results before it reports that some are missing. Our choice. */
  resultsPatienceMs: 2 * MINUTE,
  /**
   * Items that were parked, and batches that are held, because of the service or the network are tried again after this time. Our choice.
   */
  parkedAgainMs: 60 * MINUTE,
  jobMissingMs: JOB_MISSING_MS,
  silentStartMs: UNREACHABLE_START_MS,
  silentMidwayMs: UNREACHABLE_MIDWAY_MS,
};
export type PipelineTimes = Readonly<typeof STANDARD_TIMES>;

/** Times of watches, in ms. Tests pass shorter ones. */
export const WATCH_TIMES = {
  /** Pause between two name listings where the system reports no changes. */
  pollMs: 2 * SECOND,
  /** Pause between two checks whether the directory exists. */
  rootCheckMs: 3 * SECOND,
  /** Pause between two full scans. */
  rescanMs: 10 * MINUTE,
  /** How long a directory is still watched after its link was switched: a program may still write there. Our choice. */
  lingerMs: 10 * MINUTE,
  /** An unfilled shard is sent when nothing has arrived for `flushQuietMs`, or when its first item has waited for `flushOldMs`. */
  flushQuietMs: 3 * SECOND,
  flushOldMs: 30 * SECOND,
  /** Pause between two checks of which batches to close while files are on their way. */
  closeMs: SECOND,
  /** Pause between two rounds of what follows an upload (jobs, results, moves): while nothing, and while something, is in progress. */
  loopIdleMs: 2 * SECOND,
  loopBusyMs: 300,
};
export type WatchTimes = Readonly<typeof WATCH_TIMES>;
