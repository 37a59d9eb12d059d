/** `sluice run DIR --batch ID --workflow WF --to DIR`: from files to results in one command. */
import { realpath } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Result } from '../../../preload/contract/errors.ts';
import { explain } from '../../../preload/contract/messages.ts';
import { sourceIds } from '../../engine/core/batchNames.ts';
import { awaitResults } from '../../engine/jobs/downloads.ts';
import { endedBefore } from '../../engine/jobs/endedBefore.ts';
import { errorOf, fail, ok } from '../../engine/core/errors.ts';
import { isInside } from '../../engine/core/isInside.ts';
import {
  type JobView,
  missingPatience,
  noteFetched,
  noteJobEnd,
  restartMissing,
  saveJob,
  startSavedJob,
} from '../../engine/jobs/jobs.ts';
import { othersArchives } from '../../engine/jobs/othersArchives.ts';
import { batchesTouched } from '../../engine/queries/overview.ts';
import { followExisting } from '../../engine/watches/registry.ts';
import { sayInterrupted } from '../run/ending.ts';
import { type Fetched, fetchOutputs, readTarget, reportDownloaded } from '../run/fetchOutputs.ts';
import { createTroubleReporter, describeJob, follow, reportStarted } from '../run/jobFollow.ts';
import { readJobRequest } from '../options/jobRequest.ts';
import { answerAt, readUploadRequest, runUpload, type UploadRequest } from '../run/uploadRun.ts';
import type { Action, CommandContext } from '../session/context.ts';
import { type Session, withSession } from '../session/session.ts';
import { usage } from '../terminal/args.ts';
import { EXIT, exitCodeOf } from '../terminal/exitCode.ts';
import { count } from '../terminal/format.ts';
import { notify } from '../terminal/output.ts';

interface Part {
  readonly batch: string;
  readonly kind: 'image' | 'video';
  readonly to: string;
}

/** A service that forgets a job this often will not run it. */
const MAX_RESTARTS = 3;

/** Follows a job to its end. If the service does not know the job, starts it again with the same id and body. */
async function followToEnd(
  context: CommandContext,
  { running: { pipeline } }: Session,
  jobId: string,
): Promise<Result<JobView>> {
  for (let restarts = 0; ; restarts += 1) {
    const missingMs = missingPatience(restarts, pipeline.times.jobMissingMs);
    const ended = await follow(context, pipeline.client, jobId, { missingMs, keyWorked: true });
    const isMissing = !ended.ok && ended.error.code === 'service.notFound';
    const job = isMissing && restarts < MAX_RESTARTS ? restartMissing(pipeline, jobId) : null;
    if (job === null) return ended;
    context.output.say(`The service does not know job ${jobId}. It is started again.`);
    const started = await startSavedJob(pipeline, job, createTroubleReporter(context));
    if (!started.ok) return started;
  }
}

/** Says that the job may miss files that others are still sending into its batch. */
async function sayUnfinished(
  { output }: CommandContext,
  { pipeline }: Session['running'],
  batchId: string,
): Promise<void> {
  const open = await othersArchives(pipeline, batchId);
  if (open === 0) return;
  const archives = `${count(open, 'archive')} of another computer, or of an upload that was interrupted`;
  notify(output, `Batch ${batchId} is still taking in ${archives}. The job may miss their files.`);
}

/** Starts the job of a batch, or finds the one that an earlier run started, and follows it to its end. */
async function processPart(
  context: CommandContext,
  session: Session,
  part: Part,
): Promise<Result<JobView>> {
  const { pipeline } = session.running;
  const request = readJobRequest(context, { batchId: part.batch, kind: part.kind });
  if (!request.ok) return request;
  const body = pipeline.client.jobBody(request.value, session.workspace);
  const order = { jobId: null, name: context.args.text('name'), batchId: part.batch, body };
  const before = await endedBefore(pipeline, order, createTroubleReporter(context));
  if (!before.ok) return before;
  if (before.value !== null)
    context.output.say(
      `Job ${before.value.jobId} ${before.value.state === 'failed' ? 'failed' : 'was aborted'}. A new job is started.`,
    );
  const saved = saveJob(pipeline, { ...order, downloadTo: part.to });
  if (!saved.ok) return saved;
  const isNew = saved.value.state === 'planned';
  const [started] = await Promise.all([
    startSavedJob(pipeline, saved.value, createTroubleReporter(context)),
    isNew ? sayUnfinished(context, session.running, part.batch) : null,
  ]);
  if (!started.ok) return started;
  const { jobId } = started.value;
  reportStarted(context.output, started.value, saved.value.state === 'succeeded');
  const ended = await followToEnd(context, session, jobId);
  if (!ended.ok) return ended;
  const wasAborted = noteJobEnd(pipeline, ended.value);
  if (ended.value.status.state === 'failed') {
    context.output.say(
      `The same command starts a new job. If ${jobId} should run again: sluice job restart ${jobId}, then the same command.`,
    );
    const said = ended.value.status.lastMessage;
    return fail(wasAborted ? 'job.aborted' : 'job.failed', { job: jobId, said });
  }
  const end = describeJob(ended.value, context.clock.now());
  const message = ended.value.status.lastMessage;
  context.output.event({ event: 'processed', job: jobId, succeeded: true, message }, end);
  return ended;
}

async function fetchResults(
  context: CommandContext,
  session: Session,
  part: Part,
  view: JobView,
): Promise<Result<Fetched>> {
  const { pipeline } = session.running;
  const { output, args } = context;
  const results = await awaitResults(pipeline, view, part.batch, (error) =>
    output.say(`${explain(error).message} ${explain(error).hint}`),
  );
  if (!results.ok) return results;
  const order = {
    batchId: results.value.batchId,
    target: part.to,
    part: null,
    unpack: args.flag('unpack'),
  };
  const fetched = await fetchOutputs(context, session, order, 'midway', results.value.emptyAt);
  if (fetched.ok && fetched.value.exitCode === EXIT.done) noteFetched(pipeline, view.status.jobId);
  return fetched;
}

/** The batches that were filled, with the directory for the results of each. */
function partsOf(session: Session, upload: UploadRequest, to: string): readonly Part[] {
  return batchesTouched(session.engine.store).map(({ batch, baseId, kind }) => ({
    batch,
    kind,
    // A second batch of the same source gets its own results directory.
    to: baseId === upload.target.baseId ? to : join(to, baseId),
  }));
}

async function processAndFetch(
  context: CommandContext,
  session: Session,
  upload: UploadRequest,
  to: string,
): Promise<number> {
  let files = 0;
  let bytes = 0;
  let exitCode: number = EXIT.done;
  const parts = partsOf(session, upload, to);
  const { running } = session;
  // The pipeline of the session ends after the command, which must not wait for a job then.
  const signal = AbortSignal.any([running.pipeline.signal, context.signal]);
  const own = { ...session, running: { ...running, pipeline: { ...running.pipeline, signal } } };
  for (const part of parts) {
    const processed = await processPart(context, own, part);
    const fetched = processed.ok
      ? await fetchResults(context, own, part, processed.value)
      : processed;
    if (context.signal.aborted) {
      sayInterrupted(context.output);
      return EXIT.interrupted;
    }
    if (!fetched.ok) {
      context.output.error(fetched.error);
      exitCode = Math.max(exitCode, exitCodeOf(fetched.error));
      continue;
    }
    files += fetched.value.files;
    bytes += fetched.value.bytes;
    exitCode = Math.max(exitCode, fetched.value.exitCode);
  }
  reportDownloaded(
    context.output,
    { files, bytes, to },
    'result file',
    context.args.flag('unpack'),
  );
  return exitCode;
}

/** Mistakes in the arguments are found before the ports are created. */
const realpathAsync = promisify(realpath.native);
const REAL = { realPath: (path: string) => realpathAsync(path).catch(() => null) };

export const run: Action = async (context, words) => {
  const upload = await readUploadRequest(context, words);
  if (!upload.ok) return upload;
  const request = readJobRequest(context);
  if (!request.ok) return request;
  const to = await readTarget(context);
  if (!to.ok) return to;
  const target = to.value;
  const paths = [target, ...upload.value.places.map(({ path }) => path)];
  const followed = Promise.all(paths.map((path) => followExisting(REAL, path)));
  const real = await answerAt(context, target, followed);
  if (!real.ok) return real;
  const [into = target, ...sources] = real.value;
  if (sources.some((source) => isInside(into, source))) {
    return usage('--to is inside the source: results there would be uploaded as new files');
  }
  const { baseId } = upload.value.target;
  return withSession(context, 'run', sourceIds(baseId), async (session) => {
    const end = await runUpload(context, session, upload.value);
    let { exitCode } = end;
    // Files that need attention do not delay the job; files in transit do.
    if (exitCode === EXIT.done || end.settled) {
      const processed = await processAndFetch(context, session, upload.value, target).catch(
        (thrown: unknown) => {
          const error = errorOf(thrown);
          context.output.error(error);
          return exitCodeOf(error);
        },
      );
      exitCode = Math.max(exitCode, processed);
    }
    end.summarize();
    return ok(exitCode);
  });
};
