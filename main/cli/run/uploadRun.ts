/** What `upload` and `run` share: the request, the upload, and its closing summary. */
import { lstat } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { Result, SluiceError } from '../../../preload/contract/errors.ts';
import { wordsOf } from '../../../preload/contract/messages.ts';
import { allOf, fail, ok, sluiceError } from '../../engine/core/errors.ts';
import { errnoOf, readCode } from '../../engine/core/errno.ts';
import { inTime } from '../../engine/core/inTime.ts';
import { DRIVE_ANSWER_MS } from '../../engine/core/limits.ts';
import { batchIdFrom } from '../../engine/jobs/typedIds.ts';
import type { MediaKind } from '../../engine/core/model.ts';
import {
  knownMissingDrive,
  type OneShotRequest,
  uploadOnce,
} from '../../engine/uploads/oneShot.ts';
import { batchesTouched, reasonsSeen, type Tally } from '../../engine/queries/overview.ts';
import { type CommandContext, statAsync } from '../session/context.ts';
import { readLedger } from '../session/ledger.ts';
import type { Session } from '../session/session.ts';
import { givenPaths } from '../options/givenPath.ts';
import { MODES } from '../options/upload.ts';
import { choiceOf, readOption, usage } from '../terminal/args.ts';
import { count } from '../terminal/format.ts';
import { notify } from '../terminal/output.ts';
import { createUploadReporter } from '../terminal/progress.ts';
import { exact } from '../terminal/shownText.ts';
import { brokenEnd, exitOfEnd, noneFound, NOTHING, summarize } from './ending.ts';
import { readPart } from '../options/part.ts';
import { reportGone } from './goneBatches.ts';

// Not that of node:fs/promises: loading it would delay the first threads. Asynchronous: a network drive may hang.
const lstatAsync = promisify(lstat);

export type UploadRequest = Omit<OneShotRequest, 'signal' | 'onProgress'>;

/** The values of `--job-type`: short, or as the service writes them. */
const JOB_TYPES: ReadonlyMap<string, MediaKind> = new Map([
  ['image', 'image'],
  ['video', 'video'],
  ['simple-image-processing-v1', 'image'],
  ['simple-video-processing-v1', 'video'],
]);

function asKind(text: string): Result<MediaKind> {
  const kind = JOB_TYPES.get(text);
  return kind === undefined ? usage('--job-type is image or video') : ok(kind);
}

/** Why nothing is at a path. Errors: disk.missing for one on a drive that the ledger knows, otherwise usage.invalid. */
async function nothingAt(context: CommandContext, path: string): Promise<Result<never>> {
  const link = await lstatAsync(path).catch(() => null);
  if (link !== null) return fail('usage.invalid', { said: 'the link leads to no file:', path });
  const away = await readLedger(context, async (store) =>
    ok(store && (await knownMissingDrive({ ports: await context.ports(), store }, path))),
  );
  if (away.ok && away.value !== null) return { ok: false, error: away.value };
  return fail('usage.invalid', { said: 'no such file or directory:', path });
}

/** What a look at a path finds. Error: disk.missing when its drive does not answer. Rejects with what the look does. */
export async function answerAt<T>(
  { clock, signal }: Pick<CommandContext, 'clock' | 'signal'>,
  path: string,
  look: Promise<T>,
): Promise<Result<T>> {
  const answer = await inTime(clock, DRIVE_ANSWER_MS, look, signal);
  if (answer !== null) return ok(answer.found);
  return fail('disk.missing', { path, said: `${path} does not answer` });
}

/** Why a path cannot be looked at. The command ends here, so it does not wait for a share that has ended. */
export function unreadable(path: string, error: unknown): SluiceError {
  const code = readCode(error);
  const said = `${path}: ${errnoOf(error) ?? 'unknown'}`;
  return sluiceError(code === 'file.busy' ? 'disk.missing' : code, { said });
}

/** The files and directories at these paths. Errors: usage.invalid, disk.missing, item.link, item.unreadable. */
async function readPlaces(
  context: CommandContext,
  paths: readonly string[],
): Promise<Result<OneShotRequest['places']>> {
  const places: { path: string; root: string }[] = [];
  for (const path of paths.flatMap((given) => givenPaths(given))) {
    try {
      const answer = await answerAt(context, path, statAsync(path));
      if (!answer.ok) return answer;
      places.push({ path, root: answer.value.isDirectory() ? path : dirname(path) });
    } catch (error) {
      if (readCode(error) === 'item.gone') return nothingAt(context, path);
      return { ok: false, error: unreadable(path, error) };
    }
  }
  return ok(places);
}

/** Reads the options and paths that `upload` and `run` share. Errors: usage.invalid, and those of the paths. */
export async function readUploadRequest(
  context: CommandContext,
  paths: readonly string[],
): Promise<Result<UploadRequest>> {
  const { args, output, environment } = context;
  const named = args.needed('batch');
  const batch = batchIdFrom(named);
  if (batch === null) return usage('--batch needs at least one letter or digit');
  if (batch !== named) output.say(`The batch id was changed to a valid one: ${batch}`);
  const read = allOf({
    mode: readOption(args, 'mode', choiceOf(MODES), 'auto' as const),
    mainKind: readOption(args, 'job-type', asKind, null),
    part: readOption(args, 'part', (text) => readPart(text, environment), null),
  });
  if (!read.ok) return read;
  const { mode, mainKind, part } = read.value;
  const places = await readPlaces(context, paths);
  if (!places.ok) return places;
  return ok({
    places: places.value,
    followLinks: !args.flag('no-links'),
    part,
    target: { baseId: batch, displayName: args.text('name'), mode, mainKind, notification: null },
  });
}

/** Says where the files went. Returns the ids of these batches. */
function reportBatches(
  context: CommandContext,
  session: Session,
  baseId: string,
): readonly string[] {
  const touched = batchesTouched(session.engine.store);
  for (const { batch, kind, files } of touched) {
    const line =
      batch === baseId
        ? `${count(files, kind)} in batch ${batch}.`
        : `${count(files, kind)} in batch ${batch} (asked for: ${baseId}).`;
    context.output.event({ event: 'batch', batch, kind, files }, line);
  }
  return touched.map(({ batch }) => batch);
}

function reportReasons(context: CommandContext, session: Session): void {
  for (const { state, reason, count: files, example } of reasonsSeen(session.engine.store)) {
    const kind = state === 'parked' ? 'attention' : 'skipped';
    const line = `${kind === 'attention' ? 'Needs attention' : 'Skipped'}: ${count(files, 'file')}. ${wordsOf(reason).message} For example ${exact(example)}`;
    context.output.event({ event: 'reason', state: kind, code: reason, files, example }, line);
  }
}

export interface UploadEnd {
  readonly exitCode: number;
  /** True when every file is confirmed, skipped, or needs attention. */
  readonly settled: boolean;
  /** Emits the command's one summary; called last. */
  summarize(): void;
}

/** Uploads and waits until the service confirms. */
export async function runUpload(
  context: CommandContext,
  session: Session,
  request: UploadRequest,
): Promise<UploadEnd> {
  const { output, clock } = context;
  const { running } = session;
  const startedAt = clock.monotonicMs();
  const report = createUploadReporter(output, () => clock.monotonicMs());
  let last: Tally = NOTHING;
  const { end, tally, earlier } = await uploadOnce(running, {
    ...request,
    signal: context.signal,
    onProgress: (progress) => {
      last = progress.tally;
      report(progress);
    },
  }).catch((thrown: unknown) => ({ ...brokenEnd(thrown, last), earlier: 0 }));
  output.progress('');
  const batches = reportBatches(context, session, request.target.baseId);
  reportReasons(context, session);
  if (earlier > 0)
    notify(
      output,
      `Not confirmed yet: ${count(earlier, 'file')} that an earlier command found for this batch. sluice status says why.`,
    );
  // What was sent just now was seen at the service.
  if (end.kind === 'settled' && tally.confirmed > 0 && running.sentBytes() === 0) {
    await reportGone(context, session, batches);
  }
  const exitCode = exitOfEnd(output, end, tally.attention > 0);
  return {
    exitCode,
    settled: end.kind === 'settled',
    summarize: () =>
      summarize(output, tally, clock.monotonicMs() - startedAt, noneFound(end), {
        sentBytes: running.sentBytes(),
        batches,
      }),
  };
}
