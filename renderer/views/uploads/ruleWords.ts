import type { WatchRule } from '../../../preload/contract/watchRule.ts';
import { baseName } from '../../text/pathParts.ts';
import { capitalized } from '../../text/sentence.ts';
import { countOf, formatDuration } from '../../../preload/contract/figures.ts';

/** A piece of the sentence; text from the user is highlighted. */
export interface Piece {
  readonly text: string;
  readonly name: boolean;
}

const words = (text: string): Piece => ({ text, name: false });
const name = (text: string): Piece => ({ text, name: true });

/** "New images to cam-2026-11-21, closed at 18:00, then workflow count-cups"; shows the template until a batch is known. */
export function ruleWords(rule: WatchRule, batchId: string | null): readonly Piece[] {
  const [first = words(''), ...rest] = [
    words(rule.existing ? '' : 'new '),
    ...destination(rule, batchId),
  ].filter(({ text }) => text !== '');
  const begin = words(capitalized(first.text));
  const pieces = [begin, ...rest];
  const seal = sealWords(rule.seal);
  if (seal !== null) pieces.push(words(`, closed ${seal}`));
  if (rule.job !== null) pieces.push(words(', then workflow '), name(rule.job.workflowId));
  if (rule.downloadTo !== null)
    pieces.push(words(', outputs to '), name(baseName(rule.downloadTo)));
  if (rule.moveTo !== null) pieces.push(words(', sources move to '), name(baseName(rule.moveTo)));
  return pieces;
}

const VIDEOS = '-videos';

// The newest batch may be the separate one for videos; images do not go there.
function destination(rule: WatchRule, batchId: string | null): readonly Piece[] {
  const beside = batchId?.endsWith(VIDEOS) === true && !rule.batch.endsWith(VIDEOS);
  if (rule.kinds === 'both' && batchId !== null && beside) {
    const images = batchId.slice(0, -VIDEOS.length);
    return [words('images to '), name(images), words(', videos to '), name(batchId)];
  }
  const what = { both: 'images and videos', images: 'images', videos: 'videos' }[rule.kinds];
  return [words(`${what} to `), name(batchId ?? rule.batch)];
}

/** "when quiet for 30 min, or at 18:00"; null when a batch never closes by itself. */
function sealWords({ quietMinutes, items, at }: WatchRule['seal']): string | null {
  const parts = [
    quietMinutes === null ? null : `when quiet for ${formatDuration(quietMinutes * 60_000)}`,
    items === null ? null : `at ${countOf(items, 'file')}`,
    at === null ? null : `at ${at}`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(', or ');
}
