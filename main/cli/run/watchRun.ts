/** Runs watches from the command line: `sluice watch DIR` and `sluice watch run`. */
import type { Result } from '../../../preload/contract/errors.ts';
import { explain } from '../../../preload/contract/messages.ts';
import { drop, ok, SluiceFailure } from '../../engine/core/errors.ts';
import type { AutoJobEvent } from '../../engine/jobs/autoJobEvents.ts';
import { createExpiryReporter } from '../../engine/jobs/resultsExpiry.ts';
import { createKeptTargets } from '../../engine/uploads/pendingUploads.ts';
import { createSettingsReceiver } from '../../engine/webhooks/receiverFromSettings.ts';
import { filledBatches } from '../../engine/queries/overview.ts';
import { readEngineSettings } from '../../engine/settings/engineSettings.ts';
import type { Watch } from '../../engine/watches/registry.ts';
import { runWatches, type WatchMoment } from '../../engine/watches/watchRun.ts';
import { startWatching } from '../../engine/watches/watching.ts';
import type { CommandContext } from '../session/context.ts';
import type { Session } from '../session/session.ts';
import { type Output, notify } from '../terminal/output.ts';
import { createWatchReporter } from '../terminal/progress.ts';
import { brokenEnd, exitOfEnd, noneFound, NOTHING, summarize } from './ending.ts';
import { reportGone } from './goneBatches.ts';
import { serveMetrics } from './metrics.ts';
import { createMovingReporter } from './movingWaits.ts';
import { reportStarted } from './jobFollow.ts';
import { reportDownloaded } from './fetchOutputs.ts';

/** Reports jobs and their results; calls `onTrouble` for what needs attention. */
function createNewsReporter(output: Output, onTrouble: () => void): (news: AutoJobEvent) => void {
  return (news) => {
    switch (news.kind) {
      case 'started':
        return reportStarted(output, news);
      case 'ended':
        if (!news.succeeded) onTrouble();
        output.event(
          { event: 'processed', job: news.jobId, succeeded: news.succeeded, message: news.message },
          news.succeeded
            ? `Job ${news.jobId} is done.`
            : `Job ${news.jobId} ended with an error: ${news.message ?? ''}`,
        );
        return;
      case 'fetched':
        if (news.countParked > 0) onTrouble();
        return reportDownloaded(output, news, 'result file');
      case 'trouble':
        if (news.isLasting) onTrouble();
        output.say(`Job ${news.jobId}: ${explain(news.error).message}`);
    }
  };
}

/** How often the file of a refused key is looked at, in ms. */
const KEY_LOOK_MS = 10_000;

/**
 * Creates what to call at every moment: once the key is refused and its file holds another one, it throws auth.rejected, so that the
 * command begins again, with that.
 */
function createKeyCheck(clock: CommandContext['clock'], { hasNewKey }: Session) {
  let isNew = false;
  let lookedAt = Number.NEGATIVE_INFINITY;
  return ({ blockedBy }: WatchMoment): void => {
    if (blockedBy?.code !== 'auth.rejected') return;
    if (isNew) throw new SluiceFailure(blockedBy);
    const now = clock.monotonicMs();
    if (now - lookedAt < KEY_LOOK_MS) return;
    lookedAt = now;
    drop(hasNewKey().then((found) => (isNew = found)));
  };
}

/** Reports the moments of a run, and ends one with a key that is out of date; see createMovingReporter for `targets`. */
function createMomentReporter(
  context: CommandContext,
  session: Session,
  targets: readonly (string | null)[] | null,
) {
  const { output, clock } = context;
  const { store } = session.engine;
  const checkKey = context.args.flag('once') ? null : createKeyCheck(clock, session);
  const reportProgress = createWatchReporter(output, () => clock.monotonicMs());
  const reportExpiry = createExpiryReporter(store, clock, (_, text) => notify(output, text));
  const reportMoving = createMovingReporter(context, store, targets);
  return {
    report: (moment: WatchMoment) => {
      reportExpiry();
      reportMoving(true);
      reportProgress(moment);
      checkKey?.(moment);
    },
    /** At the end: says what cannot be moved, and returns whether there is any. */
    cannotMove: () => reportMoving(false),
  };
}

/**
 * Runs watches in the foreground; with `once`, until nothing is left to do. `scope`: these watches only, or all of the connection:
 * then what removed ones left queued is sent, and without `once` those that another program adds, changes, pauses or removes
 * meanwhile count, too. Prints one summary at the end.
 */
export async function watchInForeground(
  context: CommandContext,
  session: Session,
  watches: readonly Watch[],
  { once, scope }: { readonly once: boolean; readonly scope: 'these' | 'all' },
): Promise<Result<number>> {
  const { output, args, clock } = context;
  const startedAt = clock.monotonicMs();
  let troubles = 0;
  const { store } = session.engine;
  const metrics = await serveMetrics(context, store, () => session.running.sentBytes());
  if (!metrics.ok) return metrics;
  const receiver = createSettingsReceiver(store, await context.ports(), (hint) => {
    session.running.hint(hint);
    watching.hint();
  });
  const targets = scope === 'all' ? null : watches.map(({ rule }) => rule.moveTo);
  const reporter = createMomentReporter(context, session, targets);
  const watching = startWatching({
    running: session.running,
    workspace: session.workspace,
    dataDirectory: context.dataDirectory,
    notificationsUrl: receiver.url,
    notification: receiver.notification,
    report: createNewsReporter(output, () => (troubles += 1)),
    pollOnly: args.flag('poll'),
  });
  try {
    const settings = readEngineSettings(store);
    await receiver.apply(settings);
    if (settings.webhook.enabled) output.say(receiver.state().message);
    const isAll = scope === 'all';
    const follows = isAll && !once;
    if (!follows) for (const watch of watches) watching.start(watch);
    const destinationIds = watches.map(({ destinationId }) => destinationId);
    const looked = reportGone(context, session, filledBatches(store, destinationIds));
    let last = NOTHING;
    const ended = runWatches(session.running, watching, watches, {
      once,
      ...(follows && { update: watching.update }),
      ...(isAll && { kept: createKeptTargets(session.running) }),
      signal: context.signal,
      onMoment: (moment) => {
        last = moment.tally;
        reporter.report(moment);
      },
    });
    const broken = (thrown: unknown) => brokenEnd(thrown, last);
    // Without `once` the caller waits until what broke works again.
    const [{ end, tally }] = await Promise.all([once ? ended.catch(broken) : ended, looked]);
    output.progress('');
    if (end.kind === 'settled' && reporter.cannotMove()) troubles += 1;
    const exitCode = exitOfEnd(output, end, tally.attention + troubles > 0);
    summarize(output, tally, clock.monotonicMs() - startedAt, noneFound(end));
    return ok(exitCode);
  } finally {
    await metrics.value?.stop();
    await receiver.stop();
    await watching.stop();
  }
}
