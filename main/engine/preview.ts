/** What a rule would do with what stands there now. Reads names and sizes only, writes nothing, ends at a bound. */
import { hostname } from 'node:os';
import type { PreviewView } from '../../preload/rows.ts';
import type { WatchRule } from '../../preload/watchRule.ts';
import { scan, temporaryName } from './pipeline/scan.ts';
import type { Ports } from './ports.ts';
import { batchFor, createRuleFilter, warnAboutRule } from './rule.ts';

const MOST_FILES = 200_000;
const MOST_BATCHES = 20;

interface Sum {
  files: number;
  bytes: number;
}

/** Counts what the rule would take and where it would go. */
export async function previewRule(
  ports: Ports,
  rule: WatchRule,
  signal: AbortSignal,
): Promise<PreviewView> {
  const filter = createRuleFilter(rule);
  const batches = new Map<string, Sum>();
  const at = ports.clock.now();
  const host = hostname();
  let files = 0;
  let bytes = 0;
  let leftOut = 0;
  const place = { path: rule.directory, root: rule.directory };
  const leave = (within: string, isDirectory: boolean): ReturnType<typeof filter> =>
    temporaryName(within) ?? filter(within, isDirectory);
  for await (const group of scan(ports.files, [place], leave, signal)) {
    const taken = group.filter((found) => found.error === null);
    leftOut += group.length - taken.length;
    const looks = await ports.files.look(taken.map((found) => found.path));
    taken.forEach((found, index) => {
      const look = looks[index];
      if (look?.ok !== true || look.value.sizeBytes === 0) {
        leftOut += 1;
        return;
      }
      const lot = 1 + Math.floor(files / (rule.itemsPerBatch ?? Number.MAX_SAFE_INTEGER));
      const batchId = batchFor(rule, { host, at, relativePath: found.relativePath, lot });
      const sum = batches.get(batchId) ?? { files: 0, bytes: 0 };
      sum.files += 1;
      sum.bytes += look.value.sizeBytes;
      batches.set(batchId, sum);
      files += 1;
      bytes += look.value.sizeBytes;
    });
    if (files >= MOST_FILES || signal.aborted) break;
  }
  const sample = { host, at, relativePath: 'sample.jpg', lot: 1 };
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
