/** Running watches from the command line: `sluice watch DIR` and `sluice watch run`. */
import type { Result } from '../../preload/contract/errors.ts';
import { explain } from '../../preload/contract/messages.ts';
import type { LoopNews } from '../engine/jobs/autoJobNews.ts';
import { ok, sluiceError } from '../engine/core/errors.ts';
import { createExpiryTeller } from '../engine/jobs/resultsExpiry.ts';
import { createStationReceiver } from '../engine/webhooks/receiverFromSettings.ts';
import { readEngineSettings } from '../engine/settings/engineSettings.ts';
import type { Watch } from '../engine/watches/registry.ts';
import { startWatching } from '../engine/watches/watching.ts';
import { runWatches, type WatchEnd, type WatchMoment } from '../engine/watches/watchRun.ts';
import type { CommandContext } from './context.ts';
import { EXIT, exitCodeOf, stalled } from './exitCode.ts';
import { count, formatBytes, formatDuration } from './format.ts';
import type { Output } from './output.ts';
import { createRateMeter } from './rate.ts';
import type { Session } from './session.ts';
import { exact } from './shownText.ts';
import { describeEnd } from './uploadProgress.ts';

const LIVE_MS = 250;
const PLAIN_MS = 10_000;

/** The sentence of a moment. Pure. */
function describeMoment(moment: WatchMoment, bytesPerSecond: number): string {
  const { tally, settling } = moment;
  const parts = [`${tally.confirmed} of ${tally.found} confirmed`];
  if (settling > 0) parts.push(`${settling} not at rest yet`);
  if (tally.open > 0) parts.push(`${tally.open} on their way`);
  if (tally.attention > 0) parts.push(`${tally.attention} need you`);
  if (moment.silentMs > 5_000)
    parts.push(`the service is silent for ${formatDuration(moment.silentMs)}; nothing is lost`);
  else if (moment.hindrance !== null) parts.push(explain(moment.hindrance).message);
  else if (bytesPerSecond > 0) parts.push(`${formatBytes(bytesPerSecond)}/s`);
  return parts.join(' · ');
}

function createTeller(output: Output, now: () => number): (moment: WatchMoment) => void {
  const meter = createRateMeter();
  let saidAt = 0;
  let said = '';
  let notice: string | null = null;
  return (moment) => {
    const rate = meter.note(moment.sentBytes, now());
    if (moment.notice !== notice) {
      notice = moment.notice;
      if (notice !== null) output.event({ event: 'notice', text: notice }, notice);
    }
    if (now() - saidAt < (output.live ? LIVE_MS : PLAIN_MS)) return;
    const line = describeMoment(moment, rate);
    if (output.live) output.progress(line);
    else if (line !== said) {
      const { tally } = moment;
      output.event({ event: 'progress', ...tally, settling: moment.settling }, line);
    }
    saidAt = now();
    said = line;
  };
}

function tellNews(output: Output, troubled: () => void): (news: LoopNews) => void {
  return (news) => {
    switch (news.kind) {
      case 'started':
        output.event(
          { event: 'started', job: news.jobId, batch: news.batchId },
          `Job ${news.jobId} works on batch ${news.batchId}.`,
        );
        return;
      case 'ended':
        if (!news.succeeded) troubled();
        output.event(
          { event: 'processed', job: news.jobId, succeeded: news.succeeded, message: news.message },
          news.succeeded
            ? `Job ${news.jobId} is done.`
            : `Job ${news.jobId} ended with an error: ${news.message ?? ''}`,
        );
        return;
      case 'fetched':
        if (news.parked > 0) troubled();
        output.event(
          { event: 'downloaded', files: news.files, bytes: news.bytes, to: news.to },
          `${count(news.files, 'result file')}, ${formatBytes(news.bytes)}, in ${exact(news.to)}`,
        );
        return;
      case 'trouble':
        if (news.rests) troubled();
        output.say(`Job ${news.jobId}: ${explain(news.error).message}`);
    }
  };
}

function exitOf(output: Output, end: WatchEnd, attention: boolean): number {
  switch (end.kind) {
    case 'settled':
      return attention ? EXIT.attention : EXIT.done;
    case 'interrupted':
      output.say('Ended. Nothing is lost: the same command goes on where it stopped.');
      return EXIT.interrupted;
    case 'unreachable':
      output.error(sluiceError('network.lost'));
      return EXIT.unreachable;
    case 'stalled':
      output.error(stalled());
      return EXIT.attention;
    case 'hindered':
      output.error(end.error);
      return exitCodeOf(end.error);
  }
}

/** Runs watches in the foreground; with `once` until everything rests, and then with the one closing summary. */
export async function watchInForeground(
  context: CommandContext,
  session: Session,
  watches: readonly Watch[],
  once: boolean,
): Promise<Result<number>> {
  const { output, args } = context;
  const { clock } = context.ports();
  const began = clock.monotonicMs();
  let troubles = 0;
  const { store } = session.engine;
  const receiver = createStationReceiver(store, context.ports(), (hint) => {
    session.running.hint(hint);
    watching.hint();
  });
  const teller = createTeller(output, () => clock.monotonicMs());
  const tellExpiry = createExpiryTeller(store, clock, (_, text) =>
    output.event({ event: 'notice', text }, text),
  );
  const watching = startWatching({
    running: session.running,
    workspace: session.workspace,
    dataDirectory: context.dataDirectory,
    notificationsUrl: () => receiver.url(),
    notification: () => receiver.notification(),
    tell: tellNews(output, () => (troubles += 1)),
    pollOnly: args.flag('poll'),
  });
  try {
    const settings = readEngineSettings(store);
    await receiver.apply(settings);
    if (settings.webhook.enabled) output.say(receiver.said().said);
    for (const watch of watches) watching.start(watch);
    const { end, tally } = await runWatches(session.running, watching, watches, {
      once,
      signal: context.signal,
      onMoment: (moment) => {
        tellExpiry();
        teller(moment);
      },
    });
    output.progress('');
    const exitCode = exitOf(output, end, tally.attention + troubles > 0);
    const { found, confirmed, skipped, attention, confirmedBytes: bytes } = tally;
    const seconds = Math.round(clock.monotonicMs() - began) / 1000;
    const figures = { found, confirmed, skipped, attention, bytes, seconds };
    output.event({ event: 'summary', ...figures }, describeEnd(figures));
    return ok(exitCode);
  } finally {
    await receiver.stop();
    await watching.stop();
  }
}
