/** `sluice batch receipt ID`: every file of a batch with its proof, for people, as CSV or as JSON. Needs no key. */
import type { Result } from '../../../preload/contract/errors.ts';
import { fail, ok } from '../../engine/core/errors.ts';
import type { Store } from '../../engine/queries/overview.ts';
import {
  readReceipt,
  type ReceiptBatch,
  receiptBatches,
  receiptCsv,
  receiptCsvHeading,
  type ReceiptLine,
} from '../../engine/queries/receipt.ts';
import { type CommandContext, readAddresses, givenFor } from '../session/context.ts';
import { readLedger } from '../session/ledger.ts';
import { usage } from '../terminal/args.ts';
import { EXIT } from '../terminal/exitCode.ts';
import { type Column, count, formatBytes, formatInstant, formatTable } from '../terminal/format.ts';
import { exact } from '../terminal/shownText.ts';

const HASH: Column<ReceiptLine> = ['hash', (line) => line.hash];
const SHA256: Column<ReceiptLine> = ['sha256', (line) => line.sha256];
const COLUMNS: readonly Column<ReceiptLine>[] = [
  ['size', (line) => formatBytes(line.sizeBytes)],
  ['state', (line) => line.state],
  ['since', (line) => formatInstant(Date.parse(line.since))],
  ['proof', (line) => line.proof.join('+')],
  ['name', (line) => exact(line.name ?? '')],
  ['path', (line) => exact(line.path)],
];

/** The requested batch. Without --api-url or --workspace, searches every connection of the ledger. */
function findBatch(context: CommandContext, store: Store, id: string): Result<ReceiptBatch> {
  const addresses = readAddresses(context);
  if (!addresses.ok) return addresses;
  const apiUrl = givenFor(context, 'api-url') === null ? null : addresses.value.apiUrl;
  const found = receiptBatches(store, id, apiUrl, givenFor(context, 'workspace'));
  const [only] = found;
  if (only === undefined)
    return fail('service.notFound', { sentence: `The ledger has no batch ${id}.` });
  if (found.length === 1) return ok(only);
  const places = found.map((one) => `${one.workspace} at ${one.apiUrl}`).join('; ');
  return usage(`several connections have a batch ${id}; name --workspace or --api-url: ${places}`);
}

interface Figures {
  files: number;
  confirmed: number;
  bytes: number;
  hashedNow: number;
  unhashed: number;
}

function addLines(figures: Figures, lines: readonly ReceiptLine[], withSha256: boolean): void {
  for (const line of lines) {
    figures.files += 1;
    if (line.state === 'confirmed') {
      figures.confirmed += 1;
      figures.bytes += line.sizeBytes;
    }
    if (line.sha256From === 'file') figures.hashedNow += 1;
    const known = withSha256 ? line.sha256 : line.hash;
    if (line.state === 'confirmed' && known === null) figures.unhashed += 1;
  }
}

function reportHashes(context: CommandContext, figures: Figures, withSha256: boolean): void {
  if (figures.hashedNow > 0) {
    context.output.say(
      `The SHA-256 of ${count(figures.hashedNow, 'file')} was computed now; the files are unchanged since they were sent.`,
    );
  }
  if (figures.unhashed > 0) {
    context.output.say(
      `The ${withSha256 ? 'SHA-256' : 'hash'} of ${count(figures.unhashed, 'confirmed file')} is unknown and left empty: the ledger has none, and the files have changed or are gone.`,
    );
  }
}

async function showReceipt(
  context: CommandContext,
  store: Store,
  batch: ReceiptBatch,
): Promise<Result<number>> {
  const { output, signal, args } = context;
  const { files } = await context.ports();
  const asCsv = args.flag('csv');
  // Programs read `sha256`, so they get it without asking.
  const withSha256 = args.flag('sha256') || asCsv || output.options.json;
  const figures: Figures = { files: 0, confirmed: 0, bytes: 0, hashedNow: 0, unhashed: 0 };
  const each = async (take: (lines: readonly ReceiptLine[]) => void): Promise<void> => {
    for await (const lines of readReceipt(store, { files, batch, withSha256 }, signal)) {
      addLines(figures, lines, withSha256);
      take(lines);
      await output.drained();
    }
  };
  const { workspace, apiUrl, batchId } = batch;
  if (asCsv) {
    output.rows(receiptCsvHeading());
    await each((lines) => output.rows(receiptCsv(lines)));
  } else if (output.options.json) {
    await output.longResult({ batch: batchId, workspace, apiUrl }, 'lines', async (add) => {
      await each(add);
      return signal.aborted ? null : figures;
    });
  } else {
    const columns = [HASH, ...(withSha256 ? [SHA256] : []), ...COLUMNS];
    await each((lines) => {
      const isFirst = figures.files === lines.length;
      output.lines(formatTable(lines, null, columns).slice(isFirst ? 0 : 1));
    });
    const summary = `${figures.confirmed} of ${count(figures.files, 'file')} confirmed, ${formatBytes(figures.bytes)}`;
    if (!signal.aborted) output.lines([`Batch ${batchId} in ${workspace}: ${summary}`]);
  }
  if (signal.aborted) return ok(EXIT.interrupted);
  reportHashes(context, figures, withSha256);
  return ok(EXIT.done);
}

/** Shows the receipt of a batch in the ledger. Errors: usage.invalid, service.notFound, store.*. */
export async function receipt(context: CommandContext, id: string): Promise<Result<number>> {
  if (context.args.flag('csv') && context.output.options.json) {
    return usage('--csv or --json, not both');
  }
  return readLedger(context, (store) => {
    if (store === null) return fail('service.notFound', { said: 'there is no ledger here yet' });
    const batch = findBatch(context, store, id);
    return batch.ok ? showReceipt(context, store, batch.value) : batch;
  });
}
