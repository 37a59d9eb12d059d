/**
 * The sentences about what waits: what and why, since when, and what happens next. The command line and the window use the same ones.
 */
import type { ErrorCode, SluiceError } from './errors.ts';
import { type ErrorWords, explain } from './messages.ts';
import type { WaitKind, WaitView } from './snapshot.ts';
import { visible } from './visibleText.ts';

/** The parts of the sentence; `since` is '' when it is not known. */
export interface WaitWords {
  readonly what: string;
  readonly since: string;
  readonly next: string;
}

/** How the reader of the sentence is placed. */
export interface WaitReader {
  readonly now: number;
  /** False when no program works on the ledger: then nothing is tried until one starts. */
  readonly running: boolean;
  /** The words of an error: the window has its own advice. */
  words(error: Pick<SluiceError, 'code' | 'context'>): ErrorWords;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A length of time: "12 s", "4 min", "2 h 5 min", "3 d 4 h". */
function duration(ms: number): string {
  const rest = Math.max(0, ms);
  if (rest < MINUTE_MS) return `${Math.ceil(rest / SECOND_MS)} s`;
  if (rest < HOUR_MS) return `${Math.floor(rest / MINUTE_MS)} min`;
  const isLong = rest >= DAY_MS;
  const [large, small] = isLong ? [DAY_MS, HOUR_MS] : [HOUR_MS, MINUTE_MS];
  const [one, other] = isLong ? ['d', 'h'] : ['h', 'min'];
  const left = Math.floor((rest % large) / small);
  return `${Math.floor(rest / large)} ${one}${left === 0 ? '' : ` ${left} ${other}`}`;
}

function countOf(count: number, noun: string): string {
  return `${new Intl.NumberFormat('en').format(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function are(count: number): string {
  return count === 1 ? 'is' : 'are';
}

/** What waits, as the beginning of a sentence that the reason follows. */
function subjectOf({ kind, name, workspace, count, nextAt }: WaitView): string {
  const one = visible(name ?? '');
  const ofBatch = name === null ? '' : ` of batch ${one}`;
  const subjects: Readonly<Record<WaitKind, string>> = {
    connection: `Everything in ${workspace} waits`,
    sending: `Sending to ${workspace} waits`,
    files: 'Reading files waits',
    jobs: `The jobs in ${workspace} wait`,
    batch: `Batch ${one} waits`,
    job: `Job ${one} waits`,
    download: `The download of ${one} ${nextAt === null ? 'is not complete' : 'waits'}`,
    watch: `The watch of ${one} waits`,
    failing: `${countOf(count, 'file')}${ofBatch} ${count === 1 ? 'waits' : 'wait'} for another try`,
    unlisted: `${countOf(count, 'file')}${ofBatch} ${count === 1 ? 'was' : 'were'} sent, and the service does not list ${count === 1 ? 'it' : 'them'} yet`,
    unknown: `It is not known yet whether ${countOf(count, 'file')}${ofBatch} arrived`,
    starting: `Job ${one} is not started yet`,
    following: `Job ${one} cannot be followed at the moment`,
    results: `The results of job ${one} are not all here`,
    outputs: `${countOf(count, 'result file')}${ofBatch} ${count === 1 ? 'waits' : 'wait'} for another try`,
    givenUp: `${countOf(count, 'result file')}${ofBatch} ${count === 1 ? 'was' : 'were'} not downloaded`,
    unstable: `${countOf(count, 'file')} ${are(count)} being written or held by another program`,
    paused: 'Everything is paused',
    batchPaused: `Batch ${one} is paused`,
  };
  return subjects[kind];
}

/** What happens when there is no time of a next try. */
const EVENTS: Readonly<Partial<Record<WaitKind, string>>> = {
  unlisted: 'Sluice keeps asking, and checks each file if they do not appear.',
  unknown: 'Sluice asks the service before it sends anything again.',
  givenUp: 'Download the batch again to try them again.',
  download: 'Download the batch again to continue.',
  unstable: 'They are uploaded once they have come to rest.',
  paused: 'It continues when you resume it.',
  batchPaused: 'It continues when you resume it.',
};

/** Codes that end when a person does something: their advice belongs to the sentence. */
const NEEDS_A_PERSON: ReadonlySet<ErrorCode> = new Set([
  'auth.rejected',
  'disk.failed',
  'disk.full',
  'network.intercepted',
  'network.proxyAuth',
  'network.tls',
  'service.forbidden',
  'service.quota',
  'watch.missing',
]);

function nextOf(wait: WaitView, reader: WaitReader, hint: string | null): string {
  const { kind, nextAt, code } = wait;
  const event = EVENTS[kind] ?? 'It continues by itself.';
  const isHeld =
    kind === 'paused' ||
    kind === 'batchPaused' ||
    kind === 'givenUp' ||
    (kind === 'download' && (nextAt === null || !reader.running));
  const when = isHeld
    ? event
    : !reader.running
      ? 'It continues when Sluice runs again.'
      : nextAt === null
        ? event
        : nextAt > reader.now
          ? `Next try in ${duration(nextAt - reader.now)}.`
          : 'It is tried now.';
  const needsPerson = code !== null && NEEDS_A_PERSON.has(code);
  // The advice about a network says that Sluice goes on by itself, which a download that was given up does not.
  const isGivenUp = kind === 'download' && nextAt === null;
  const isAdvised = isGivenUp ? needsPerson && !code.startsWith('network.') : wait.attention;
  const advice = hint !== null && (isAdvised || (needsPerson && !isGivenUp));
  return advice ? `${when} ${hint}` : when;
}

/** The words about one wait. Pure. */
export function wordsOfWait(wait: WaitView, reader: WaitReader): WaitWords {
  const { code, detail, since } = wait;
  const context = detail === null ? {} : { said: visible(detail) };
  const words = code === null ? null : reader.words({ code, context });
  const subject = subjectOf(wait);
  // Why no file can be read is not about one file, as the words of the code are.
  const own = wait.kind === 'files' && detail !== null ? `${subject}. ${visible(detail)}` : null;
  return {
    what: own ?? (words === null ? `${subject}.` : `${subject}: ${words.message}`),
    since: since === null ? '' : `For ${duration(reader.now - since)} now.`,
    next: nextOf(wait, reader, words?.hint ?? null),
  };
}

/** The whole sentence about one wait: what and why, since when, what happens next. Pure. */
export function sentenceOfWait(wait: WaitView, reader: WaitReader): string {
  const { what, since, next } = wordsOfWait(wait, reader);
  return [what, since, next].filter((part) => part !== '').join(' ');
}

/** A reader at the command line. */
export function cliReader(now: number, running: boolean): WaitReader {
  return { now, running, words: explain };
}
