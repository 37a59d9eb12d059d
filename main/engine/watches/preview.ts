/** What a rule would do with the files that exist now. Reads only names and sizes, writes nothing, stops at a limit. */
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import type { MediaKind, RulePreview } from '../core/model.ts';
import type { WatchRule } from '../core/contract.ts';
import { type LeftOut, scan, temporaryName } from '../pipeline/find/scan.ts';
import { isTouchedSince } from '../pipeline/find/stability.ts';
import { skippedFor } from '../pipeline/identify/judge.ts';
import type { Ports } from '../core/ports.ts';
import { generationId, videosId } from '../core/batchNames.ts';
import { createBatchNamer } from './baseChooser.ts';
import type { PreviewLedger } from './previewLedger.ts';
import { batchFor, createRuleFilter, forbiddenBelow, kindByName, remarksOnRule } from './rule.ts';

const MOST_FILES = 200_000;
const MOST_BATCHES = 20;

interface Sum {
  files: number;
  bytes: number;
}

/** The files for a batch id of the rule; images and videos never share a batch. */
interface PreviewBatch {
  readonly images: Sum;
  readonly videos: Sum;
}

interface Tally {
  readonly batches: Map<string, PreviewBatch>;
  readonly all: Sum;
}

const empty = (): Sum => ({ files: 0, bytes: 0 });

/** The batches that result from the batch ids of the rule: videos that come with images get a batch of their own. */
function batchesOf(
  batches: ReadonlyMap<string, PreviewBatch>,
  known: PreviewLedger | null,
  rule: WatchRule,
): RulePreview['batches'] {
  return [...batches].flatMap(([batchId, { images, videos }]) => {
    const own = images.files > 0 || known?.holdsImages(batchId) === true;
    return [
      ...generationsOf(batchId, images, known, rule.seal.items),
      ...generationsOf(own ? videosId(batchId) : batchId, videos, known, rule.seal.items),
    ];
  });
}

/** The batches that take this many files: first the open generation, then new ones, each as large as the rule allows. */
function generationsOf(
  baseId: string,
  { files, bytes }: Sum,
  known: PreviewLedger | null,
  maxFiles: number | null,
): readonly { batchId: string; files: number; bytes: number }[] {
  const parts: { batchId: string; files: number; bytes: number }[] = [];
  let { generation, holds } = known?.nextGeneration(baseId) ?? { generation: 1, holds: 0 };
  for (let left = files; left > 0; generation += 1) {
    const part = maxFiles === null ? left : Math.min(left, Math.max(1, maxFiles - holds));
    const partBytes = Math.round((bytes * part) / files);
    parts.push({ batchId: generationId(baseId, generation), files: part, bytes: partBytes });
    left -= part;
    holds = 0;
  }
  return parts;
}

function count(tally: Tally, batchId: string, kind: MediaKind | null, sizeBytes: number): void {
  const batch = tally.batches.get(batchId) ?? { images: empty(), videos: empty() };
  tally.batches.set(batchId, batch);
  for (const sum of [tally.all, kind === 'video' ? batch.videos : batch.images]) {
    sum.files += 1;
    sum.bytes += sizeBytes;
  }
}

function notesOn(rule: WatchRule, first: string, { batches }: Tally): readonly string[] {
  const hasVideos = [...batches.values()].some(({ videos }) => videos.files > 0);
  return rule.kinds === 'both' && !hasVideos
    ? [`Videos, if any come, go to a batch of their own: ${videosId(first)}`]
    : [];
}

/**
 * Counts which files the rule would take and where they would go. A rule for new files only leaves out those from before
 * `addedAt` (null: before now). `known`: what the ledger already has; null counts every file as new.
 */
export async function previewRule(
  ports: Ports,
  rule: WatchRule,
  signal: AbortSignal,
  addedAt: number | null = null,
  known: PreviewLedger | null = null,
): Promise<RulePreview> {
  const filter = createRuleFilter(rule);
  const forbidden = forbiddenBelow(rule, { dataDirectory: dirname(rule.directory), others: [] });
  const at = ports.clock.now();
  const notBefore = rule.existing ? 0 : (addedAt ?? Number.POSITIVE_INFINITY);
  const batchOf = createBatchNamer(() => 0);
  const tally: Tally = { batches: new Map(), all: empty() };
  let leftOut = 0;
  let uploaded = 0;
  let isCut = false;
  const place = { path: rule.directory, root: rule.directory };
  const leave: LeftOut = (within, type) =>
    forbidden.includes(join(rule.directory, within))
      ? 'item.excluded'
      : (temporaryName(within, type) ?? filter(within, type));
  for await (const group of scan(ports.files, [place], leave, signal)) {
    const taken = group.filter((found) => found.error === null);
    leftOut += group.length - taken.length;
    const looks = await ports.files.stat(taken.map((found) => found.path));
    const before = known?.uploaded(taken.map((found) => found.path)) ?? null;
    taken.forEach((found, index) => {
      const look = looks[index];
      if (look?.ok === true && before?.get(found.path) === look.value.sizeBytes) {
        uploaded += 1;
        return;
      }
      const kind = kindByName(found.relativePath);
      const sizeBytes = look?.ok === true ? look.value.sizeBytes : 0;
      const isOld = look?.ok === true && !isTouchedSince(look.value, notBefore, ports.clock.now());
      if (isOld || skippedFor({ kind, sizeBytes }) !== null) leftOut += 1;
      else count(tally, batchOf(rule, at, found.relativePath, true), kind, sizeBytes);
    });
    isCut = tally.all.files + leftOut >= MOST_FILES;
    if (isCut || signal.aborted) break;
  }
  const sample = { host: hostname(), at, relativePath: 'sample.jpg', batchNumber: 1 };
  const first = batchFor(rule, sample);
  const found = batchesOf(tally.batches, known, rule);
  const next = generationId(first, known?.nextGeneration(first).generation ?? 1);
  const batches = found.length === 0 ? [{ batchId: next, files: 0, bytes: 0 }] : found;
  const { warnings, notes } = remarksOnRule(rule, sample);
  return {
    ...tally.all,
    leftOut,
    uploaded,
    more: isCut || signal.aborted,
    batches: batches.slice(0, MOST_BATCHES),
    batchCount: batches.length,
    warnings,
    notes: [...notes, ...notesOn(rule, batches[0]?.batchId ?? first, tally)],
  };
}
