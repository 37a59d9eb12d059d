/** The sentences about what waits: what and why, since when, and what happens next. Shared by the command line and the window. */
import type { ErrorCode, SluiceError } from './errors.ts';
import { countOf, formatDuration } from './figures.ts';
import { type ErrorWords, explain, explainEnd } from './messages.ts';
import type { ConnectionView } from './snapshot.ts';
import type { WaitKind, WaitView } from './waits.ts';
import { visible } from './visibleText.ts';

/** What the sentence depends on besides the wait itself. */
export interface WaitReader {
  readonly now: number;
  /** False when no program is running on the ledger: nothing is tried until one starts. */
  readonly running: boolean;
  /** True for what cannot be tried before its workspace has a working key. */
  readonly needsKey?: boolean;
  /** The texts of an error; the window has its own advice. */
  explain(error: Pick<SluiceError, 'code' | 'context'>): ErrorWords;
}

const SECOND_MS = 1000;

/** A shorter wait has only just begun, so its duration is not shown. Relative times say "just now" for the same time. */
const SINCE_SHOWN_MS = 10 * SECOND_MS;

/** A duration, rounded up to whole seconds. */
function duration(ms: number): string {
  return formatDuration(Math.ceil(ms / SECOND_MS) * SECOND_MS);
}

function are(count: number): string {
  return count === 1 ? 'is' : 'are';
}

/** What waits: the start of the sentence, before the reason. */
function subjectOf({ kind, name, workspace, count, code, nextAt }: WaitView): string {
  const one = visible(name ?? '');
  const ofBatch = name === null ? '' : ` of batch ${one}`;
  const subjects: Readonly<Record<WaitKind, string>> = {
    program: 'Sluice runs, and cannot work for now',
    connection: `Everything in ${workspace} waits`,
    sending: `Sending to ${workspace} waits`,
    asking: `Checking what arrived in ${workspace} waits`,
    fetching: `Downloads from ${workspace} wait`,
    files: 'Reading files waits',
    planning: `New files for ${workspace} wait for their batch`,
    jobs: `The jobs in ${workspace} wait`,
    batch: `Batch ${one} waits`,
    held: `Nothing is sent to batch ${one} for now`,
    ready: `The job over batch ${one} has not started yet`,
    job: `Job ${one} waits`,
    download: `The download of ${one} ${nextAt === null ? 'is not complete' : 'waits'}`,
    watch: `Sluice cannot watch ${one} for now`,
    moving: `Confirmed files cannot be moved to ${one} for now`,
    failing: `${countOf(count, 'file')}${ofBatch} ${count === 1 ? 'waits' : 'wait'} for another try`,
    unlisted: `${countOf(count, 'file')}${ofBatch} ${count === 1 ? 'was' : 'were'} sent, and the service does not list ${count === 1 ? 'it' : 'them'} yet`,
    unknown: `It is not known yet whether ${countOf(count, 'file')}${ofBatch} arrived`,
    starting: `Job ${one} has not started yet`,
    notStarted: `Job ${one} was not started`,
    following: `Job ${one} cannot be followed at the moment`,
    results: `The results of job ${one} are not all here`,
    outputs: `${countOf(count, 'result file')}${ofBatch} ${count === 1 ? 'waits' : 'wait'} for another try`,
    givenUp: `${countOf(count, 'result file')}${ofBatch} ${count === 1 ? 'was' : 'were'} not downloaded`,
    unstable:
      code === null
        ? `${countOf(count, 'file')} ${are(count)} incomplete, still being written, or locked by another program`
        : `${countOf(count, 'file')} cannot be read for now`,
    comparing: `${countOf(count, 'file')} ${count === 1 ? 'waits' : 'wait'} to be compared with what the service has`,
    paused: 'Everything is paused',
    watchPaused: `${countOf(count, 'file')}${ofBatch} ${count === 1 ? 'waits' : 'wait'}, because its watched folder is paused`,
    batchPaused: `Batch ${one} is paused`,
  };
  return subjects[kind];
}

/** First words that have a capital letter only at the start of a sentence. Names, and messages of a service, keep theirs. */
const PLAIN_START = /^(A|An|Another|It|No|Not|Reading|The|Writing|You)\b/;

function asReason(message: string): string {
  return message.replace(PLAIN_START, (word) => word.toLowerCase());
}

/** Kinds whose subject is always plural, even when they count one thing. */
const PLURAL: readonly WaitKind[] = ['fetching', 'planning', 'jobs', 'results'];

/** Kinds whose subject is what they count, so that it is singular for one. */
const COUNTED: readonly WaitKind[] = [
  'failing',
  'unlisted',
  'outputs',
  'unstable',
  'comparing',
  'watchPaused',
];

/** "It continues by itself." or, about several, "They continue by themselves." */
function continues({ kind, count }: WaitView, how: string): string {
  const isMany = PLURAL.includes(kind) || (COUNTED.includes(kind) && count !== 1);
  return isMany ? `They continue ${how.replace('itself', 'themselves')}` : `It continues ${how}`;
}

const ONCE_KEY_WORKS = 'once the key works.';

/** What happens next when no time is set. */
function eventOf(wait: WaitView): string {
  const isOne = wait.count === 1;
  const events: Readonly<Partial<Record<WaitKind, string>>> = {
    unlisted: `Sluice looks for ${isOne ? 'it' : 'them'} again at least once a minute, and sends again what proves to be missing.`,
    unknown: 'Sluice asks the service before it sends anything again.',
    notStarted: 'Start it again in the list of jobs, or with the same command.',
    givenUp: 'Download the batch again.',
    download: 'Download the batch again to continue.',
    unstable: isOne
      ? 'It is uploaded once it can be read and no longer changes.'
      : 'They are uploaded once they can be read and no longer change.',
    paused: 'It continues when you resume it.',
    // Its next try has a time, unless everything is paused.
    held: 'It continues when you resume uploads.',
    batchPaused: 'It continues when you resume it.',
    watchPaused: continues(wait, 'when you resume it.'),
  };
  if (wait.code === 'watch.changing') return 'A file is uploaded once it stops changing.';
  return events[wait.kind] ?? continues(wait, 'by itself.');
}

/** Waits that do not end by themselves, whether a program runs or not. */
const HELD: readonly WaitKind[] = ['paused', 'batchPaused', 'watchPaused', 'givenUp', 'notStarted'];

/**
 * Where "Try now" cannot help: what a person paused, what needs a decision of its own, files that another program is writing, and
 * what is tried every few seconds.
 */
const NOT_TRIED: readonly WaitKind[] = [
  'paused',
  'batchPaused',
  'watchPaused',
  'notStarted',
  'unstable',
  'moving',
];

/** True for something whose next try can start now at a person's request. */
export function canTryNow({
  kind,
  code,
  nextAt,
}: Pick<WaitView, 'kind' | 'code' | 'nextAt'>): boolean {
  if (code === 'watch.changing') return false;
  // A download that was given up is restarted from the results view.
  if (kind === 'download') return nextAt !== null;
  return !NOT_TRIED.includes(kind);
}

/** Codes that need the user: the sentence includes their advice. */
const NEEDS_USER: ReadonlySet<ErrorCode> = new Set([
  'auth.rejected',
  'batch.conflict',
  'batch.lacksFiles',
  'disk.failed',
  'disk.full',
  'disk.missing',
  'network.intercepted',
  'network.proxy',
  'network.proxyAuth',
  'network.tls',
  'service.forbidden',
  'service.quota',
  'service.refused',
  'service.unexpectedAnswer',
  'system.openFiles',
  'system.replaced',
  'watch.missing',
]);

export function lacksKey({ state }: Pick<ConnectionView, 'state'>): boolean {
  return state === 'refused' || state === 'locked';
}

/** True for a wait that needs the user: only the user can remove its cause, or it has lasted very long. */
export function needsPerson({ attention, code }: Pick<WaitView, 'attention' | 'code'>): boolean {
  return attention || (code !== null && NEEDS_USER.has(code));
}

function whenOf(wait: WaitView, { now, running, needsKey }: WaitReader): string {
  const { kind, nextAt } = wait;
  const isStopped = HELD.includes(kind) || (kind === 'download' && (nextAt === null || !running));
  if (isStopped) return eventOf(wait);
  if (!running) return continues(wait, 'when Sluice runs again.');
  if (needsKey === true) return continues(wait, ONCE_KEY_WORKS);
  if (nextAt === null) return eventOf(wait);
  return nextAt > now ? `Next try in ${duration(nextAt - now)}.` : 'Trying now.';
}

function nextOf(wait: WaitView, when: string, hint: string | null): string {
  const { kind, nextAt, code } = wait;
  const needsPerson = code !== null && NEEDS_USER.has(code);
  // The advice about a network says that Sluice continues by itself, which is not true of a download that was given up.
  const isGivenUp = kind === 'download' && nextAt === null;
  const isAdvised = isGivenUp ? needsPerson && !code.startsWith('network.') : wait.attention;
  const advice = hint !== null && (isAdvised || (needsPerson && !isGivenUp));
  if (!advice) return when;
  // The advice about some causes begins with the same step.
  if (hint.startsWith(when)) return hint;
  // The advice comes first where it alone does not make anything continue.
  const isFirst = isGivenUp || when.endsWith(ONCE_KEY_WORKS);
  return isFirst ? `${hint} ${when}` : `${when} ${hint}`;
}

/** The text for a wait that the text of its code does not fit; null for any other. */
function ownWords({ kind, name, code, detail }: WaitView, subject: string): string | null {
  // The code's own text is about one file, but here no file can be read.
  if (kind === 'files' && detail !== null) return `${subject}. ${visible(detail)}`;
  if (kind === 'watch' && code === 'watch.missing')
    return `${subject}: it is not there, or its drive does not answer.`;
  // It may also be the drive of the source files: `detail` names it.
  if (kind === 'moving' && code === 'disk.missing' && detail !== null)
    return `${subject}: a drive is not connected, or does not answer (${visible(detail)}).`;
  if (kind === 'watch' && code === 'watch.changing' && detail !== null) {
    return `In ${visible(name ?? '')}, ${visible(detail)}.`;
  }
  return null;
}

/** The whole sentence for a wait: what and why, since when, what happens next. Pure. */
export function sentenceOfWait(wait: WaitView, reader: WaitReader): string {
  const { code, detail, since } = wait;
  const context = detail === null ? {} : { said: visible(detail) };
  const words = code === null ? null : reader.explain({ code, context });
  const subject = subjectOf(wait);
  const usual = words === null ? `${subject}.` : `${subject}: ${asReason(words.message)}`;
  const what = ownWords(wait, subject) ?? usual;
  const lastedMs = since === null ? 0 : reader.now - since;
  const lasted = lastedMs < SINCE_SHOWN_MS ? '' : ` For ${duration(lastedMs)} now.`;
  return `${what}${lasted} ${nextOf(wait, whenOf(wait, reader), words?.hint ?? null)}`;
}

/** What the sentence depends on for the command line. While no Sluice is running, nothing continues by itself. */
export function cliReader(now: number, running: boolean): WaitReader {
  return { now, running, explain: running ? explain : explainEnd };
}
