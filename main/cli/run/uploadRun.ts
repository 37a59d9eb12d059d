/** What `upload` and `run` share: checking what was asked, sending it, and the closing summary. */
import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Result } from '../../../preload/errorCodes.ts';
import { wordsOf } from '../../../preload/errorText.ts';
import { destinationFor } from '../../engine/destination.ts';
import { fail, ok, sluiceError } from '../../engine/errors.ts';
import { batchIdFrom } from '../../engine/idFrom.ts';
import type { MediaKind } from '../../engine/model.ts';
import { type OneShotEnd, type OneShotRequest, uploadOnce } from '../../engine/oneShot.ts';
import { batchesTouched, reasonsSeen } from '../../engine/reading.ts';
import { usage } from '../terminal/args.ts';
import type { CommandContext } from '../session/context.ts';
import { EXIT, exitCodeOf, stalled } from '../terminal/exitCode.ts';
import { count } from '../terminal/format.ts';
import type { Session } from '../session/session.ts';
import { exact } from '../terminal/shownText.ts';
import { createUploadTeller, describeEnd } from '../terminal/uploadProgress.ts';

/** What was asked to be uploaded. */
export interface UploadWish {
  readonly places: OneShotRequest['places'];
  readonly followLinks: boolean;
  readonly baseId: string;
  readonly displayName: string | null;
  readonly mode: 'auto' | 'single' | 'bulk';
  readonly mainKind: MediaKind | null;
}

/** What `--job-type` may be: the kind of the job that is to follow, in short or as the service writes it. */
const JOB_TYPES: ReadonlyMap<string, MediaKind> = new Map([
  ['image', 'image'],
  ['video', 'video'],
  ['simple-image-processing-v1', 'image'],
  ['simple-video-processing-v1', 'video'],
]);

/** The places behind paths; every one must be there now. Error: usage.invalid. */
function readPlaces(paths: readonly string[]): Result<OneShotRequest['places']> {
  const places = paths.map((path) => resolve(path));
  const missing = places.find((path) => !existsSync(path));
  if (missing !== undefined)
    return fail('usage.invalid', { said: 'there is nothing at', path: missing });
  return ok(
    places.map((path) => ({ path, root: statSync(path).isDirectory() ? path : dirname(path) })),
  );
}

/** Reads what `upload` and `run` have in common. Error: usage.invalid. */
export function readWish(context: CommandContext, paths: readonly string[]): Result<UploadWish> {
  const { args, output } = context;
  const named = args.text('batch');
  if (named === null) return usage('--batch ID is missing');
  const batch = batchIdFrom(named);
  if (batch === null) return usage('--batch needs at least one letter or digit');
  if (batch !== named) output.say(`The batch id is made legal: ${batch}`);
  const mode = args.text('mode') ?? 'auto';
  if (mode !== 'auto' && mode !== 'single' && mode !== 'bulk') {
    return usage('--mode is auto, single or bulk');
  }
  const jobType = args.text('job-type');
  const mainKind = jobType === null ? null : JOB_TYPES.get(jobType);
  if (mainKind === undefined) return usage('--job-type is image or video');
  const places = readPlaces(paths);
  if (!places.ok) return places;
  return ok({
    places: places.value,
    followLinks: !args.flag('no-links'),
    baseId: batch,
    displayName: args.text('name'),
    mode,
    mainKind,
  });
}

function sayBatches(context: CommandContext, session: Session, wish: UploadWish): void {
  for (const { batch, kind, files } of batchesTouched(session.engine.store)) {
    const said =
      batch === wish.baseId
        ? `${count(files, kind)} in batch ${batch}.`
        : `${count(files, kind)} in batch ${batch} (asked for: ${wish.baseId}).`;
    context.output.event({ event: 'batch', batch, kind, files }, said);
  }
}

function sayReasons(context: CommandContext, session: Session): void {
  for (const { state, reason, count: files, example } of reasonsSeen(session.engine.store)) {
    const kind = state === 'parked' ? 'attention' : 'skipped';
    const line = `${kind === 'attention' ? 'Needs you' : 'Skipped'}: ${count(files, 'file')}. ${wordsOf(reason).message} For example ${exact(example)}`;
    context.output.event({ event: 'reason', state: kind, code: reason, files, example }, line);
  }
}

function exitOf(context: CommandContext, end: OneShotEnd, attention: number): number {
  const { output } = context;
  switch (end.kind) {
    case 'settled':
      return attention > 0 ? EXIT.attention : EXIT.done;
    case 'unreachable':
      output.error(sluiceError('network.lost'));
      return EXIT.unreachable;
    case 'stalled':
      output.error(stalled());
      return EXIT.attention;
    case 'hindered':
      output.error(end.error);
      return exitCodeOf(end.error);
    case 'interrupted':
      output.say('Interrupted. Nothing is lost: the same command goes on where it stopped.');
      return EXIT.interrupted;
  }
}

export interface UploadEnd {
  readonly exitCode: number;
  /** Everything rests: confirmed, skipped, or needing a person. */
  readonly settled: boolean;
  /** Emits the one summary of the command; called last. */
  summarize(): void;
}

/** Uploads and waits for the service's word. */
export async function runUpload(
  context: CommandContext,
  session: Session,
  wish: UploadWish,
): Promise<UploadEnd> {
  const { output } = context;
  const { running, engine } = session;
  const { clock } = context.ports();
  const began = clock.monotonicMs();
  const destinationId = destinationFor(engine.store, running.line.connectionId, wish.baseId);
  const { end, tally } = await uploadOnce(running, {
    places: wish.places,
    followLinks: wish.followLinks,
    destinationId,
    target: {
      baseId: wish.baseId,
      displayName: wish.displayName,
      mode: wish.mode,
      mainKind: wish.mainKind,
      notification: null,
    },
    signal: context.signal,
    onProgress: createUploadTeller(output, () => clock.monotonicMs()),
  });
  output.progress('');
  sayBatches(context, session, wish);
  sayReasons(context, session);
  const exitCode = exitOf(context, end, tally.attention);
  const { found, confirmed, skipped, attention } = tally;
  return {
    exitCode,
    settled: end.kind === 'settled',
    summarize: () => {
      const seconds = Math.round(clock.monotonicMs() - began) / 1000;
      const bytes = tally.confirmedBytes;
      const figures = { found, confirmed, skipped, attention, bytes, seconds };
      output.event(
        { event: 'summary', ...figures, sentBytes: running.sentBytes() },
        describeEnd(figures),
      );
    },
  };
}
