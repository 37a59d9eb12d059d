/** What a rule would do with what stands there now. Reads names and sizes only, writes nothing, ends at a bound. */
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import type { PreviewView } from '../../preload/rows.ts';
import type { WatchRule } from '../../preload/watchRule.ts';
import { scan, temporaryName } from './pipeline/scan.ts';
import type { Ports } from './ports.ts';
import { batchFor, createRuleFilter, forbiddenBelow, lotPattern, warnAboutRule } from './rule.ts';

const MOST_FILES = 200_000;
const MOST_BATCHES = 20;

interface Sum {
  files: number;
  bytes: number;
}

/** Tells the batch of one file after the other, {n} counted as the line counts it. */
function createBatchTeller(rule: WatchRule, at: number): (relativePath: string) => string {
  const host = hostname();
  const counts = new Map<string, number>();
  return (relativePath) => {
    const facts = { host, at, relativePath };
    const pattern = lotPattern(rule, facts) ?? '';
    const before = counts.get(pattern) ?? 0;
    counts.set(pattern, before + 1);
    const lot = 1 + Math.floor(before / (rule.itemsPerBatch ?? Number.MAX_SAFE_INTEGER));
    return batchFor(rule, { ...facts, lot });
  };
}

/**
 * Counts what the rule would take and where it would go. Files from before `addedAt` (null: before now) stay out of a
 * rule for new files only.
 */
export async function previewRule(
  ports: Ports,
  rule: WatchRule,
  signal: AbortSignal,
  addedAt: number | null = null,
): Promise<PreviewView> {
  const filter = createRuleFilter(rule);
  const forbidden = forbiddenBelow(rule, { dataDirectory: dirname(rule.directory), others: [] });
  const batches = new Map<string, Sum>();
  const at = ports.clock.now();
  const notBefore = rule.existing ? 0 : (addedAt ?? Number.POSITIVE_INFINITY);
  const batchOf = createBatchTeller(rule, at);
  let files = 0;
  let bytes = 0;
  let leftOut = 0;
  const place = { path: rule.directory, root: rule.directory };
  const leave = (within: string, isDirectory: boolean): ReturnType<typeof filter> =>
    forbidden.includes(join(rule.directory, within))
      ? 'item.excluded'
      : (temporaryName(within) ?? filter(within, isDirectory));
  for await (const group of scan(ports.files, [place], leave, signal)) {
    const taken = group.filter((found) => found.error === null);
    leftOut += group.length - taken.length;
    const looks = await ports.files.look(taken.map((found) => found.path));
    taken.forEach((found, index) => {
      const look = looks[index];
      if (look?.ok !== true || look.value.sizeBytes === 0 || look.value.touchedAt < notBefore) {
        leftOut += 1;
        return;
      }
      const batchId = batchOf(found.relativePath);
      const sum = batches.get(batchId) ?? { files: 0, bytes: 0 };
      sum.files += 1;
      sum.bytes += look.value.sizeBytes;
      batches.set(batchId, sum);
      files += 1;
      bytes += look.value.sizeBytes;
    });
    if (files >= MOST_FILES || signal.aborted) break;
  }
  const sample = { host: hostname(), at, relativePath: 'sample.jpg', lot: 1 };
  if (batches.size === 0) batches.set(batchFor(rule, sample), { files: 0, bytes: 0 });
  return {
    files,
    bytes,
    leftOut,
    more: files >= MOST_FILES,
    batches: [...batches].slice(0, MOST_BATCHES).map(([batchId, sum]) => ({ batchId, ...sum })),
    batchCount: batches.size,
    warnings: warnAboutRule(rule, sample),
  };
}
