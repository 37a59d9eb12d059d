/** Merges receipts of several machines: every file once, in its best state, plus any contradictions. Pure. */
import { z } from 'zod';
import { readCsv } from '../core/csv.ts';
import { ITEM_STATES, type ItemState } from '../core/model.ts';
import { ok, type Result, usage } from '../core/errors.ts';

/** A file of a receipt: a line of `batch receipt --json`; rows of `batch receipt --csv` are converted to it. */
const rowSchema = z.object({
  path: z.string().min(1),
  /** Null when unknown, or when it was not requested and the ledger has another hash. */
  sha256: z.string().nullable(),
  sizeBytes: z.number().int().min(0),
  name: z.string().nullable(),
  batch: z.string().min(1),
  state: z.enum(ITEM_STATES),
  since: z.string(),
  /** Why it was skipped or parked; null when the state says it all. */
  reason: z.string().nullable(),
  /** For a duplicate: the file that was sent instead. */
  sentAs: z.string().nullable(),
  /** Empty while nothing is proved. */
  proof: z.array(z.string()),
  /** As the ledger stores it, with its algorithm: `b3:…`, or the SHA-256 of files sent by an earlier version. */
  hash: z.string().nullable(),
});
export type ReceiptRow = Readonly<z.infer<typeof rowSchema>>;

/** The columns of a receipt in CSV, with the field of each. Published: new ones are only added at the end. */
export const RECEIPT_COLUMNS = {
  path: 'path',
  sha256: 'sha256',
  bytes: 'sizeBytes',
  name: 'name',
  batch: 'batch',
  state: 'state',
  since: 'since',
  reason: 'reason',
  sent_as: 'sentAs',
  proof: 'proof',
  hash: 'hash',
} as const satisfies Readonly<Record<string, keyof ReceiptRow>>;

/** A field as it is written in CSV: an empty cell stands for null. */
function fieldOf(field: keyof ReceiptRow, cell: string): unknown {
  if (field === 'proof') return cell.split('+').filter((proof) => proof !== '');
  if (field === 'sizeBytes') return cell === '' ? Number.NaN : Number(cell);
  return cell === '' ? null : cell;
}

const csvRow = z
  .record(z.string(), z.string())
  .transform((cells) =>
    Object.fromEntries(
      Object.entries(RECEIPT_COLUMNS).map(([name, field]) => [
        field,
        fieldOf(field, cells[name] ?? ''),
      ]),
    ),
  )
  .pipe(rowSchema);

// Receipts of earlier versions have no hash.
const jsonRow = rowSchema.extend({ hash: rowSchema.shape.hash.default(null) });
const jsonReceipt = z.object({
  event: z.literal('result'),
  data: z.object({ lines: z.array(jsonRow) }),
});

function noReceipt(where = ''): Result<never> {
  return usage(`this is not a receipt of a batch${where}`);
}

function understood(rows: z.ZodSafeParseResult<ReceiptRow[]>): Result<readonly ReceiptRow[]> {
  if (rows.success) return ok(rows.data);
  const [issue] = rows.error.issues;
  // Without a path it is not a table at all.
  if (issue === undefined || issue.path.length === 0) return noReceipt();
  return noReceipt(` (${issue.path.join('.')}: ${issue.message})`);
}
function rowsOfJson(text: string): Result<readonly ReceiptRow[]> {
  for (const line of text.split('\n')) {
    if (!line.includes('"result"')) continue;
    try {
      const receipt = jsonReceipt.safeParse(JSON.parse(line));
      if (receipt.success) return ok(receipt.data.data.lines);
    } catch {
      // Refused below.
    }
  }
  return noReceipt();
}

/** The rows of a receipt as `batch receipt` printed it, with --csv or with --json. Error: usage.invalid. */
export function readReceiptText(text: string): Result<readonly ReceiptRow[]> {
  if (text.trimStart().startsWith('{')) return rowsOfJson(text);
  const [heading = ''] = text.split('\n', 1);
  if (!/^"?path"?,/.test(heading.trim())) return noReceipt();
  return understood(z.array(csvRow).safeParse(readCsv(text)));
}

/** From worst to best: what another machine later found out about the same file replaces what the first one recorded. */
const RANK: Readonly<Record<ItemState, number>> = {
  parked: 0,
  queued: 1,
  planned: 2,
  sending: 3,
  unknown: 4,
  sent: 5,
  skipped: 6,
  confirmed: 7,
};

/** Merges the rows of all receipts: one row per path and batch. */
export function mergeReceipts(receipts: readonly (readonly ReceiptRow[])[]) {
  const best = new Map<string, ReceiptRow>();
  const changed = new Set<string>();
  for (const row of receipts.flat()) {
    const key = JSON.stringify([row.batch, row.path]);
    const before = best.get(key);
    const differs =
      before?.state === 'confirmed' && row.state === 'confirmed' && before.sha256 !== row.sha256;
    if (differs && before.sha256 !== null && row.sha256 !== null) changed.add(row.path);
    if (before === undefined || RANK[row.state] > RANK[before.state]) best.set(key, row);
  }
  const rows = [...best.values()];
  const confirmed = rows.filter(({ state }) => state === 'confirmed');
  const skipped = rows.filter(({ state }) => state === 'skipped').length;
  const names = new Map<string, Set<string | null>>();
  for (const { batch, sha256, name } of confirmed) {
    if (sha256 === null) continue;
    const key = JSON.stringify([batch, sha256]);
    names.set(key, (names.get(key) ?? new Set()).add(name));
  }
  return {
    rows,
    confirmed: confirmed.length,
    bytes: confirmed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    /** Not sent for a stated reason: empty, duplicate and so on. */
    skipped,
    /** Neither confirmed nor skipped. */
    open: rows.length - confirmed.length - skipped,
    /** Contents confirmed under several names in one batch: two machines sent them. */
    repeatedContents: [...names.values()].filter((of) => of.size > 1).length,
    /** Paths that two machines saw with different contents: the file was changed in between. */
    changed: [...changed],
  };
}

export type MergedReceipt = Readonly<ReturnType<typeof mergeReceipts>>;
/** Files in a directory that no receipt lists as confirmed or as skipped for a reason. */
export function missingFrom(merged: MergedReceipt, files: readonly string[]): readonly string[] {
  const done = new Set(
    merged.rows
      .filter(({ state }) => state === 'confirmed' || state === 'skipped')
      .map(({ path }) => path),
  );
  return files.filter((path) => !done.has(path));
}
