/** `sluice batch receipt ID`: every file of a batch with its proof, for people, as CSV or as JSON. Needs no key. */
import type { Result } from '../../../preload/errorCodes.ts';
import type { Engine } from '../../engine/engine.ts';
import { fail, ok } from '../../engine/errors.ts';
import { openReader } from '../../engine/reading.ts';
import {
  readReceipt,
  type ReceiptBatch,
  receiptBatches,
  receiptCsv,
  receiptCsvHeading,
  type ReceiptLine,
} from '../../engine/receipt.ts';
import { usage } from '../terminal/args.ts';
import { type CommandContext, readAddresses } from '../session/context.ts';
import { EXIT } from '../terminal/exitCode.ts';
import { count, formatBytes, formatInstant, formatTable } from '../terminal/format.ts';
import { exact } from '../terminal/shownText.ts';

type Store = Engine['store'];

function tableRow(line: ReceiptLine): readonly string[] {
  const { sha256, sizeBytes, state, at, name, path, proof } = line;
  return [
    sha256 ?? '',
    formatBytes(sizeBytes),
    state,
    formatInstant(at),
    proof.join('+'),
    exact(name ?? ''),
    exact(path),
  ];
}

/** The batch that is meant. Without --api-url or --workspace every connection of the ledger is looked through. */
function findBatch(context: CommandContext, store: Store, id: string): Result<ReceiptBatch> {
  const { args, environment } = context;
  const addresses = readAddresses(context);
  if (!addresses.ok) return addresses;
  const isNamed = (args.text('api-url') ?? environment['SLUICE_API_URL'] ?? '') !== '';
  const workspace = args.text('workspace') ?? environment['SLUICE_WORKSPACE'] ?? '';
  const apiUrl = isNamed ? addresses.value.apiUrl : null;
  const found = receiptBatches(store, id, apiUrl, workspace === '' ? null : workspace);
  const [only] = found;
  if (only === undefined)
    return fail('service.notFound', { said: `the ledger has no batch ${id}` });
  if (found.length === 1) return ok(only);
  const places = found.map((one) => `${one.workspace} at ${one.apiUrl}`).join('; ');
  return usage(`several connections have a batch ${id}; name --workspace or --api-url: ${places}`);
}

/** What is told beside the lines themselves. */
interface Told {
  files: number;
  confirmed: number;
  bytes: number;
  hashedNow: number;
  unhashed: number;
}

function note(told: Told, lines: readonly ReceiptLine[]): void {
  for (const line of lines) {
    told.files += 1;
    if (line.state === 'confirmed') {
      told.confirmed += 1;
      told.bytes += line.sizeBytes;
    }
    if (line.sha256From === 'file') told.hashedNow += 1;
    if (line.state === 'confirmed' && line.sha256 === null) told.unhashed += 1;
  }
}

function sayHashes(context: CommandContext, told: Told): void {
  if (told.hashedNow > 0) {
    context.output.say(
      `The SHA-256 of ${count(told.hashedNow, 'file')} was made now; nobody touched them since they were sent.`,
    );
  }
  if (told.unhashed > 0) {
    context.output.say(
      `The SHA-256 of ${count(told.unhashed, 'confirmed file')} is not known and left empty: the ledger has none, and the files changed or went away.`,
    );
  }
}

async function tell(
  context: CommandContext,
  store: Store,
  batch: ReceiptBatch,
): Promise<Result<number>> {
  const { output, signal, args } = context;
  const { files } = context.ports();
  const asCsv = args.flag('csv');
  const told: Told = { files: 0, confirmed: 0, bytes: 0, hashedNow: 0, unhashed: 0 };
  const all: ReceiptLine[] = [];
  if (asCsv) output.rows(receiptCsvHeading());
  for await (const lines of readReceipt(store, files, batch, signal)) {
    note(told, lines);
    if (asCsv) output.rows(receiptCsv(lines));
    else all.push(...lines);
  }
  if (signal.aborted) return ok(EXIT.interrupted);
  sayHashes(context, told);
  if (asCsv) return ok(EXIT.done);
  const { workspace, apiUrl, batchId } = batch;
  const lines = all.map(({ at, ...line }) => ({ ...line, since: new Date(at).toISOString() }));
  const summary = `${told.confirmed} of ${count(told.files, 'file')} confirmed, ${formatBytes(told.bytes)}`;
  const heading = ['sha256', 'size', 'state', 'since', 'proof', 'name', 'path'];
  output.result({ batch: batchId, workspace, apiUrl, ...told, lines }, [
    `Batch ${batchId} in ${workspace}: ${summary}`,
    ...formatTable([heading, ...all.map(tableRow)]),
  ]);
  return ok(EXIT.done);
}

/** Shows the receipt of a batch of the ledger. Errors: usage.invalid, service.notFound, store.*. */
export async function receipt(context: CommandContext, id: string): Promise<Result<number>> {
  if (context.args.flag('csv') && context.output.options.json) {
    return usage('--csv or --json, not both');
  }
  const reader = openReader(context.dataDirectory);
  if (!reader.ok) return reader;
  const store = reader.value;
  if (store === null) return fail('service.notFound', { said: 'there is no ledger here yet' });
  try {
    const batch = findBatch(context, store, id);
    return batch.ok ? await tell(context, store, batch.value) : batch;
  } finally {
    store.close();
  }
}
