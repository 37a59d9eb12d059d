/** Progress on the command line: one line in place on a terminal, otherwise a plain line from time to time. */
import type { SluiceError } from '../../../preload/contract/errors.ts';
import { explain } from '../../../preload/contract/messages.ts';
import { UNLISTED_SHOWN_MS } from '../../engine/core/limits.ts';
import type { DownloadProgress } from '../../engine/jobs/downloads.ts';
import type { OneShotProgress } from '../../engine/uploads/oneShot.ts';
import type { WatchMoment } from '../../engine/watches/watchRun.ts';
import { formatBytes, formatDuration, needAttention } from './format.ts';
import { type Output, notify } from './output.ts';
import { exact } from './shownText.ts';

/** A rate is averaged over this time to keep it readable, in ms. */
const RATE_WINDOW_MS = 5_000;
/** Points closer together than this are merged, in ms. */
const POINT_MS = 50;
/** A shorter silence of the service is not worth mentioning, in ms. */
const UPLOAD_SILENCE_MS = 3_000;
const WATCH_SILENCE_MS = 5_000;

/** What a download waits for is reported again after this time, in ms. */
const WAIT_AGAIN_MS = 60_000;

/** Takes totals with their times (monotonic ms) and returns bytes per second. */
function createRateMeter(): (total: number, nowMs: number) => number {
  const points: { at: number; total: number }[] = [];
  return (total, nowMs) => {
    // May be called for each of many small files: an occasional point is enough.
    const last = points.at(-1);
    if (points.length > 1 && last !== undefined && nowMs - last.at < POINT_MS) last.total = total;
    else points.push({ at: nowMs, total });
    const from = nowMs - RATE_WINDOW_MS;
    while (points.length > 2 && (points[1]?.at ?? nowMs) < from) points.shift();
    const first = points[0];
    if (first === undefined || nowMs <= first.at) return 0;
    return ((total - first.total) / (nowMs - first.at)) * 1000;
  };
}

/**
 * Whether a line is due at the given time (monotonic ms): every `liveMs` on a terminal and every `plainMs` elsewhere, counted from `from`.
 * A line that is due counts as printed.
 */
function createPace(
  { live }: Output,
  liveMs: number,
  plainMs: number,
  from: number,
): (nowMs: number) => boolean {
  let printedAt = from;
  return (nowMs) => {
    const isDue = nowMs - printedAt >= (live ? liveMs : plainMs);
    if (isDue) printedAt = nowMs;
    return isDue;
  };
}

function describeSilence(silentMs: number): string {
  return `the service has been silent for ${formatDuration(silentMs)}; nothing is lost`;
}

function describeCause(error: SluiceError): string {
  const { message, hint } = explain(error);
  return `${message} ${hint}`;
}

const RESUME = {
  all: 'sluice resume',
  batch: 'sluice resume --batch ID',
  watch: 'sluice watch resume N',
} as const;

type Tally = OneShotProgress['tally'];

/** What keeps files from moving, for programs: `paused`, or an error code; null when nothing is known to. */
function waitsFor(paused: string | null, blockedBy: SluiceError | null, tally: Tally) {
  if (paused !== null) return 'paused';
  const isInDoubt = tally.unanswered > 0 && tally.unanswered === tally.open;
  return blockedBy?.code ?? (isInDoubt ? 'service.noAnswer' : null);
}

/** Files whose bodies the service accepted, and that it has yet to confirm. */
function answeredOf({ sent, unanswered }: Tally): number {
  return sent - unanswered;
}

/**
 * Takes tallies with their times (monotonic ms) and returns for how long accepted files have waited while none was confirmed, in
 * ms: that is true of all of them together, whenever each was sent.
 */
function createUnconfirmedMeter(): (tally: Tally, nowMs: number) => number {
  let confirmed: number | null = null;
  let since = 0;
  return (tally, nowMs) => {
    if (answeredOf(tally) === 0 || tally.confirmed !== confirmed) since = nowMs;
    confirmed = tally.confirmed;
    return nowMs - since;
  };
}

/** A wait for confirmation that is longer than usual: for how long, and what comes next. */
function describeUnconfirmed(ms: number): string {
  if (ms < UNLISTED_SHOWN_MS) return '';
  return `: nothing confirmed for ${formatDuration(ms)}; Sluice keeps looking, and sends again only what proves to be missing`;
}

/** What was sent and is not confirmed: accepted, or without an answer. */
function describeSent(tally: Tally, unconfirmedMs: number): readonly string[] {
  const answered = answeredOf(tally);
  const parts: string[] = [];
  if (answered > 0)
    parts.push(`${answered} sent, waiting for the service${describeUnconfirmed(unconfirmedMs)}`);
  if (tally.unanswered > 0)
    parts.push(
      `${tally.unanswered} sent without a clear answer: checked for some minutes before anything is sent again`,
    );
  return parts;
}

function describeUpload(
  progress: OneShotProgress,
  bytesPerSecond: number,
  unconfirmedMs: number,
): string {
  const { tally } = progress;
  const total = progress.scanned ? `${tally.found}` : `${tally.found}+`;
  const parts = [`${tally.confirmed} of ${total} confirmed`, ...describeSent(tally, unconfirmedMs)];
  if (tally.skipped > 0) parts.push(`${tally.skipped} skipped`);
  if (tally.attention > 0) parts.push(needAttention(tally.attention));
  const paused = progress.pausedBy();
  if (paused !== null) parts.push(`paused; to continue: ${RESUME[paused]}`);
  else if (progress.silentMs > UPLOAD_SILENCE_MS) parts.push(describeSilence(progress.silentMs));
  else if (progress.blockedBy !== null) parts.push(describeCause(progress.blockedBy));
  else if (bytesPerSecond > 0) {
    parts.push(`${formatBytes(progress.sentBytes)} at ${formatBytes(bytesPerSecond)}/s`);
    const left = (tally.openBytes / bytesPerSecond) * 1000;
    if (progress.scanned && tally.open > tally.sent) parts.push(`${formatDuration(left)} left`);
  } else if (tally.open > tally.sent) parts.push(`${tally.open - tally.sent} to send`);
  return parts.join(' · ');
}

/** Reports a running upload. `now` is in monotonic ms. */
export function createUploadReporter(
  output: Output,
  now: () => number,
): (progress: OneShotProgress) => void {
  const rateAt = createRateMeter();
  const unconfirmedAt = createUnconfirmedMeter();
  const isDue = createPace(output, 200, 5_000, now());
  return (progress) => {
    const at = now();
    const rate = rateAt(progress.sentBytes, at);
    const unconfirmedMs = unconfirmedAt(progress.tally, at);
    if (!isDue(at)) return;
    const line = describeUpload(progress, rate, unconfirmedMs);
    if (output.live) return output.progress(line);
    const { found, confirmed, skipped, attention, open, sent, unanswered } = progress.tally;
    const figures = { found, confirmed, skipped, attention, open, sent, unanswered };
    const { sentBytes } = progress;
    const bytesPerSecond = Math.round(rate);
    const cause = waitsFor(progress.pausedBy(), progress.blockedBy, progress.tally);
    const rest = { bytesPerSecond, waitsFor: cause };
    output.event({ event: 'progress', ...figures, sentBytes, ...rest }, line);
  };
}

function describeWatch(moment: WatchMoment, bytesPerSecond: number, unconfirmedMs: number): string {
  const { tally, settling } = moment;
  const unsent = tally.open - tally.sent;
  const confirmed = `${tally.confirmed} of ${tally.found} confirmed`;
  const parts = [tally.found + settling === 0 ? 'no files yet' : confirmed];
  if (settling > 0) parts.push(`${settling} still changing`);
  if (unsent > 0) parts.push(`${unsent} to send`);
  parts.push(...describeSent(tally, unconfirmedMs));
  if (tally.skipped > 0) parts.push(`${tally.skipped} skipped`);
  if (tally.attention > 0) parts.push(needAttention(tally.attention));
  if (moment.isPaused && unsent > 0) parts.push(`paused; to continue: ${RESUME.all}`);
  else if (moment.silentMs > WATCH_SILENCE_MS) parts.push(describeSilence(moment.silentMs));
  else if (moment.blockedBy !== null) parts.push(describeCause(moment.blockedBy));
  else if (bytesPerSecond > 0) parts.push(`${formatBytes(bytesPerSecond)}/s`);
  return parts.join(' · ');
}

/** Reports running watches; on a plain output, repeated lines are left out. `now` is in monotonic ms. */
export function createWatchReporter(
  output: Output,
  now: () => number,
): (moment: WatchMoment) => void {
  const rateAt = createRateMeter();
  const unconfirmedAt = createUnconfirmedMeter();
  const isDue = createPace(output, 250, 10_000, 0);
  let lastLine = '';
  let told: readonly string[] = [];
  return (moment) => {
    const at = now();
    const rate = rateAt(moment.sentBytes, at);
    const unconfirmedMs = unconfirmedAt(moment.tally, at);
    for (const text of moment.notices) if (!told.includes(text)) notify(output, text, exact(text));
    told = moment.notices;
    if (!isDue(at)) return;
    const line = describeWatch(moment, rate, unconfirmedMs);
    if (output.live) output.progress(line);
    else if (line !== lastLine) {
      const rest = {
        settling: moment.settling,
        waitsFor: waitsFor(moment.isPaused ? 'all' : null, moment.blockedBy, moment.tally),
      };
      output.event({ event: 'progress', ...moment.tally, ...rest }, line);
    }
    lastLine = line;
  };
}

/** Reports a running download. `now` is in monotonic ms. */
export function createDownloadReporter(output: Output, now: () => number): DownloadProgress {
  const rateAt = createRateMeter();
  const isDue = createPace(output, 200, 5_000, now());
  let wasIncomplete = false;
  let waitedFor: string | null = null;
  let waitToldAt = 0;
  return ({ bytes, done, files, listed, lacks, waitsFor }) => {
    const at = now();
    if (lacks !== null && !wasIncomplete) {
      output.say(`${explain(lacks).message} The list is read again for up to two minutes.`);
    }
    wasIncomplete = lacks !== null;
    const cause = waitsFor?.code ?? null;
    const isNews = cause !== waitedFor || at - waitToldAt >= WAIT_AGAIN_MS;
    if (waitsFor !== null && isNews) {
      output.say(`${explain(waitsFor).message} Trying again; what is here is kept.`);
      waitedFor = cause;
      waitToldAt = at;
    }
    const rate = rateAt(bytes, at);
    if (!isDue(at)) return;
    const line = `${done} of ${listed ? files : `${files} or more`} files here · ${formatBytes(bytes)} at ${formatBytes(rate)}/s`;
    if (output.live) output.progress(line);
    else output.event({ event: 'progress', done, files, bytes }, line);
  };
}
