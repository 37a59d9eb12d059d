/** What a watch's rule means: which files it takes, which batch they go to, and whether it makes sense. Pure. */
import { basename, dirname, sep } from 'node:path';
import picomatch from 'picomatch';
import type { ErrorCode } from '../core/errors.ts';
import { doOverlap, isInside } from '../core/isInside.ts';
import { localDay, PLACEHOLDER, PLACEHOLDERS, type WatchRule } from '../core/contract.ts';
import { extensionOf, kindOfExtension } from '../files/media/mediaKind.ts';
import { legalBatchId } from '../files/names/safeNames.ts';
import { isInPart } from '../pipeline/find/part.ts';
import { closesByItself } from '../pipeline/plan/closing.ts';
import type { DirectoryEntry, MediaKind } from '../core/model.ts';

export interface TemplateFacts {
  readonly host: string;
  /** Epoch ms of the first identification; {date} is its local date. */
  readonly at: number;
  /** The file's path within the watch. */
  readonly relativePath: string;
  /** Number of the batch of N items, from 1. */
  readonly batchNumber: number;
}

function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(PLACEHOLDER, (whole, name: string) => values[name] ?? whole);
}

function valuesFor(
  rule: WatchRule,
  facts: Omit<TemplateFacts, 'batchNumber'>,
): Record<string, string> {
  const folder = dirname(facts.relativePath);
  return {
    watch: rule.name,
    host: facts.host,
    date: localDay(facts.at),
    folder: folder === '.' ? basename(rule.directory) : folder.split(sep).join('-'),
  };
}

/** The batch id from a template: filled in and made legal. */
export function batchFor(rule: WatchRule, facts: TemplateFacts): string {
  const values = { ...valuesFor(rule, facts), n: String(facts.batchNumber) };
  return legalBatchId(fill(rule.batch, values));
}

/** The id of the only batch of a rule, as `upload` would name it; the template when there are several. */
export function batchNameOf({ batch }: WatchRule): string {
  return batch.includes('{') ? batch : legalBatchId(batch);
}

/** The GLOB pattern of ids that differ only in {n}; null for a template without {n}. */
export function batchNumberPattern(
  rule: WatchRule,
  facts: Omit<TemplateFacts, 'batchNumber'>,
): string | null {
  if (!rule.batch.includes('{n}')) return null;
  const marker = 'nnnnlotnnnn';
  const id = legalBatchId(fill(rule.batch, { ...valuesFor(rule, facts), n: marker }));
  return id.replaceAll(marker, '[0-9]*');
}

/** The kind of a file by its extension; null when the service does not accept the extension, whatever the content. */
export function kindByName(path: string): MediaKind | null {
  return kindOfExtension(extensionOf(path));
}

/** Returns why a rule leaves out a path within the watch; null when it takes it. Include globs apply only to files. */
export function createRuleFilter(
  rule: WatchRule,
): (relativePath: string, type: DirectoryEntry['type']) => ErrorCode | null {
  const options = { dot: false, nocase: false, basename: false };
  const matcher = (globs: readonly string[]): ((path: string) => boolean) => {
    // A glob without a slash matches the name in any directory.
    const wide = globs.map((glob) => (glob.includes('/') ? glob : `**/${glob}`));
    return wide.length === 0 ? () => false : picomatch([...wide], options);
  };
  const included = matcher(rule.include);
  const excluded = matcher(rule.exclude);
  // A scan leaves out an excluded directory with all that is in it, but a listener may still report what is there.
  const isExcluded = (path: string): boolean => {
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1))
      if (excluded(path.slice(0, end))) return true;
    return excluded(path);
  };
  return (relativePath, type) => {
    const path = relativePath.split(sep).join('/');
    if (isExcluded(path)) return 'item.excluded';
    if (type === 'link') return rule.followLinks ? null : 'item.excluded';
    if (type === 'directory') return null;
    if (rule.include.length > 0 && !included(path)) return 'item.excluded';
    const kind = kindByName(path);
    if (rule.kinds === 'images' && kind === 'video') return 'item.excluded';
    if (rule.kinds === 'videos' && kind === 'image') return 'item.excluded';
    return isInPart(rule.part, relativePath) ? null : 'item.excluded';
  };
}

/** What a rule is checked against. The paths are real paths. */
export interface RuleSurroundings {
  readonly dataDirectory: string;
  readonly others: readonly WatchRule[];
}

/** Why another watch prevents results or moved files from going to their directory; null when none does. */
function refuseTargets(
  { directory, downloadTo, moveTo }: WatchRule,
  other: WatchRule,
): string | null {
  const there = `land in ${other.directory}, which is watched, and`;
  const ways = [
    [other.downloadTo, directory, `the results of "${other.name}" go here; they would`],
    [other.moveTo, directory, `"${other.name}" moves its files here; they would`],
    [downloadTo, other.directory, `the results would ${there}`],
    [moveTo, other.directory, `moved files would ${there}`],
  ] as const;
  const crossing = ways.find(([target, watched]) => target !== null && doOverlap(target, watched));
  return crossing === undefined ? null : `${crossing[2]} be uploaded again`;
}

/** Why a rule is refused, in a sentence that says what to change; null when it is fine. */
export function refuseRule(rule: WatchRule, around: RuleSurroundings): string | null {
  const { directory, downloadTo, moveTo } = rule;
  for (const [, name] of rule.batch.matchAll(PLACEHOLDER)) {
    if (name !== undefined && !PLACEHOLDERS.includes(name)) {
      return `the template does not know {${name}}; it knows {watch} {host} {date} {folder} {n}`;
    }
  }
  if (rule.batch.includes('{n}') !== (rule.itemsPerBatch !== null)) {
    return '{n} in the template and a number of files per batch go together: give both or neither';
  }
  if (!/[\p{L}\p{N}]/u.test(rule.batch)) return 'the batch needs at least one letter or digit';
  if (doOverlap(directory, around.dataDirectory)) {
    return 'this directory holds the data of Sluice itself; choose another one';
  }
  for (const other of around.others) {
    if (doOverlap(directory, other.directory)) {
      return `it overlaps with ${other.directory}, which is already watched; files would belong to both`;
    }
    const crossing = refuseTargets(rule, other);
    if (crossing !== null) return crossing;
  }
  if (downloadTo !== null && (rule.job === null || rule.job.workflowId === '')) {
    return 'results come only from a workflow: name one, or remove the directory for results';
  }
  if (downloadTo !== null && isInside(directory, downloadTo)) {
    return 'the directory for results cannot be the watched one or contain it';
  }
  if (moveTo !== null && isInside(directory, moveTo)) {
    return 'the directory for moved files cannot contain the watched one';
  }
  return null;
}

/** What never happens because nothing closes the batches of a rule; null when nothing depends on that. Pure. */
export function neverClosed(rule: WatchRule): string | null {
  const { job, moveTo } = rule;
  const isLeftOpen = !closesByItself(rule);
  if (isLeftOpen && job !== null)
    return 'The batch is never closed by itself, so the workflow starts only by hand.';
  return isLeftOpen && moveTo !== null
    ? 'The batch is never closed by itself, so its files are not moved.'
    : null;
}

/** What to know about a rule before it is saved: what may go wrong, and plain facts. */
export function remarksOnRule(
  rule: WatchRule,
  sample: TemplateFacts,
): { readonly warnings: readonly string[]; readonly notes: readonly string[] } {
  const warnings: string[] = [];
  // The remark is only about the typed text: a placeholder may stand for any name, and the id is shown anyway.
  const typed = rule.batch.replace(PLACEHOLDER, '0');
  const notes =
    legalBatchId(typed) === typed
      ? []
      : [
          `A batch id has only lower-case letters, digits, hyphens and underscores, 64 at most, so it becomes ${batchFor(rule, sample)}`,
        ];
  const fixed = !/\{(date|n|folder)\}/.test(rule.batch);
  const sealed = Object.values(rule.seal).some((value) => value !== null);
  if (fixed && !sealed) {
    warnings.push(
      'Everything goes to one batch, and the service keeps a batch for 7 days. Add {date} to start a new batch each day.',
    );
  }
  const open = neverClosed(rule);
  if (open !== null) warnings.push(open);
  return { warnings, notes };
}

/** Directories in a watch that are never scanned: download and move targets, and our data. */
export function forbiddenBelow(rule: WatchRule, around: RuleSurroundings): readonly string[] {
  const targets = [
    rule.downloadTo,
    rule.moveTo,
    around.dataDirectory,
    ...around.others.flatMap((other) => [other.downloadTo, other.moveTo]),
  ];
  return targets.filter((path): path is string => path !== null && isInside(path, rule.directory));
}

/** The rule in words: "images to cups, closed after 10 min of quiet, then workflow count-cups, results to /out". */
export function describeRule(rule: WatchRule): string {
  const what = { both: 'images and videos', images: 'images', videos: 'videos' }[rule.kinds];
  const share = rule.part === null ? '' : `part ${rule.part.index}/${rule.part.of} of the `;
  const parts = [`${share}${rule.existing ? '' : 'new '}${what} to ${batchNameOf(rule)}`];
  if (rule.include.length > 0) parts.push(`only ${rule.include.join(' ')}`);
  if (rule.exclude.length > 0) parts.push(`without ${rule.exclude.join(' ')}`);
  const { quietMinutes, items, at } = rule.seal;
  if (quietMinutes !== null) parts.push(`closed after ${quietMinutes} min of quiet`);
  if (items !== null) parts.push(`closed at ${items} files`);
  if (at !== null) parts.push(`closed at ${at}`);
  if (rule.job !== null) parts.push(`then workflow ${rule.job.workflowId}`);
  if (rule.downloadTo !== null)
    parts.push(`${rule.unpack ? 'unpacked ' : ''}results to ${rule.downloadTo}`);
  if (rule.moveTo !== null) parts.push(`sources moved to ${rule.moveTo}`);
  return parts.join(', ');
}
