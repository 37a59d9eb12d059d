/** Fetches outputs on the command line: progress during the download, and a line for each file that needs a person. */
import type { Result } from '../../../preload/contract/errors.ts';
import { explainEnd } from '../../../preload/contract/messages.ts';
import { fail, ok } from '../../engine/core/errors.ts';
import { type DownloadOrder, downloadBatch } from '../../engine/jobs/downloads.ts';
import { type CommandContext, statAsync } from '../session/context.ts';
import type { Session } from '../session/session.ts';
import { EXIT } from '../terminal/exitCode.ts';
import { createDownloadReporter } from '../terminal/progress.ts';
import { exact } from '../terminal/shownText.ts';
import type { Output } from '../terminal/output.ts';
import { count, formatBytes } from '../terminal/format.ts';
import { givenPath } from '../options/givenPath.ts';
import { answerAt } from './uploadRun.ts';

/** The folder that --to names. Errors: usage.invalid for a file; disk.missing when its drive does not answer. */
export async function readTarget(context: CommandContext): Promise<Result<string>> {
  const path = givenPath(context.args.needed('to'));
  const found = await answerAt(
    context,
    path,
    statAsync(path).catch(() => null),
  );
  if (!found.ok) return found;
  const isOther = found.value?.isDirectory() === false;
  return isOther ? fail('usage.invalid', { said: '--to is not a folder:', path }) : ok(path);
}

export interface Fetched {
  readonly files: number;
  readonly bytes: number;
  readonly exitCode: number;
}

/** Says where outputs are; `noun` is what one of them is called. Unpacked files are not counted. */
export function reportDownloaded(
  output: Output,
  { files, bytes, to }: { readonly files: number; readonly bytes: number; readonly to: string },
  noun: string,
  isUnpacked = false,
): void {
  const how = isUnpacked ? ' (archives unpacked)' : '';
  const found = `${count(files, noun)}, ${formatBytes(bytes)}, in ${exact(to)}${how}`;
  const line = files === 0 ? `No ${noun}s.` : found;
  output.event({ event: 'downloaded', files, bytes, to }, line);
}

/** `since`: whether the service has already answered this command. `emptyAt`, errors: see downloadBatch. */
export async function fetchOutputs(
  context: CommandContext,
  { running }: Session,
  order: DownloadOrder,
  since: 'start' | 'midway',
  emptyAt: number | null = null,
): Promise<Result<Fetched>> {
  const { output, signal, clock } = context;
  const report = createDownloadReporter(output, () => clock.monotonicMs());
  const fetched = await downloadBatch(running.pipeline, order, signal, report, since, emptyAt);
  output.progress('');
  if (!fetched.ok) return fetched;
  const { files, bytes, parked } = fetched.value;
  for (const { path, error } of parked) {
    // The line begins with the file's path, so that of its unfinished part is left out.
    const { message, hint } = explainEnd({ ...error, context: { ...error.context, path: null } });
    const event = { event: 'error', code: error.code, message, hint, path };
    output.event(event, `${exact(path)}: ${message}`);
  }
  return ok({ files, bytes, exitCode: parked.length > 0 ? EXIT.attention : EXIT.done });
}
