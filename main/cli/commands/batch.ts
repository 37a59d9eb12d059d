/** `sluice batch …`: what the service holds of a batch, and fetching its outputs. */
import type { Result } from '../../../preload/contract/errors.ts';
import { ok, plainWords } from '../../engine/core/errors.ts';
import { knownBatches } from '../../engine/queries/overview.ts';
import {
  type Action,
  type Actions,
  asking,
  type CommandContext,
  openClient,
} from '../session/context.ts';
import { readOwn } from '../session/client.ts';
import { sayInterrupted } from '../run/ending.ts';
import { fetchOutputs, readTarget, reportDownloaded } from '../run/fetchOutputs.ts';
import { withSession } from '../session/session.ts';
import { usage } from '../terminal/args.ts';
import { EXIT } from '../terminal/exitCode.ts';
import { formatInstant, formatTable } from '../terminal/format.ts';
import { showList } from '../terminal/longList.ts';
import { exact } from '../terminal/shownText.ts';
import { receipt } from './receipt.ts';
import { mergeReceiptFiles } from './receiptMerge.ts';

const NO_BATCHES = 'No batches yet. Create one with: sluice upload PATH --batch ID';

/** The batch or the part of it that is asked for. */
function nameOf({ args }: CommandContext, batchId: string): string {
  const part = args.text('part');
  return part === null ? `batch ${batchId}` : `part ${part} of batch ${batchId}`;
}

/** Instead of an empty table: a batch that does not exist is listed as empty. */
function noneIn(context: CommandContext, batchId: string, things: string): string {
  return `No ${things}: ${nameOf(context, batchId)} has none, or the service does not know it.`;
}

const list: Action = async (context) => {
  const connected = await openClient(context);
  if (!connected.ok) return connected;
  const listed = await connected.value.client.listBatches(context.signal);
  if (!listed.ok) return listed;
  // The service does not offer this list: show what the ledger knows.
  if (listed.value === null)
    return readOwn(context, connected.value, (ledger) => {
      const batches = ledger === null ? [] : knownBatches(ledger.store, ledger.connectionId);
      const lines = formatTable(batches, NO_BATCHES, [
        ['batch', (batch) => batch.batchId],
        ['kind', (batch) => batch.kind],
        ['state', (batch) => batch.state],
      ]);
      return context.output.result({ source: 'ledger', batches }, lines);
    });
  return showList(
    context.output,
    { source: 'service' },
    ['batches', listed.value, NO_BATCHES],
    [
      ['batch', (batch) => batch.batchId],
      ['name', (batch) => batch.displayName],
      ['type', (batch) => batch.type],
      ['content', (batch) => batch.contentType],
      ['expires', (batch) => formatInstant(batch.expiresAt)],
    ],
  );
};

const readCount = asking(async (context, client, batchId) => {
  const part = context.args.text('part');
  const counted = await client.askCount(batchId, part, context.signal);
  if (!counted.ok) return counted;
  // The contract: something that does not exist counts as 0.
  if (counted.value === null)
    context.output.say(`The service does not know ${nameOf(context, batchId)}.`);
  const figure = counted.value ?? 0;
  return context.output.result({ batch: batchId, count: figure }, [String(figure)]);
});

const readShards = asking(async (context, client, batchId) => {
  const asked = await client.askShards(batchId, context.signal);
  if (!asked.ok) return asked;
  const shards = asked.value ?? [];
  const none = noneIn(context, batchId, 'shards');
  return showList(
    context.output,
    { batch: batchId },
    ['shards', shards, none],
    [
      ['shard', (shard) => shard.shardId],
      ['state', (shard) => shard.status],
      ['status', (shard) => shard.statusName],
      ['objects', (shard) => shard.objectsCount],
      ['since', (shard) => formatInstant(shard.eventAt)],
      ['details', ({ details }) => (details === null ? null : plainWords(details))],
    ],
  );
});

const readParts = asking(async (context, client, batchId) => {
  const parts = await client.batchParts(batchId, context.signal);
  if (!parts.ok) return parts;
  const lines = formatTable(parts.value, noneIn(context, batchId, 'parts'), [
    ['part', (part) => part.name],
    ['type', (part) => part.type],
    ['content', (part) => part.contentType],
    ['description', (part) => part.description],
  ]);
  return context.output.result({ batch: batchId, parts: parts.value }, lines);
});

/** The files of a batch, part by part if it has parts. Addresses are secrets and never shown. */
const readFiles = asking(async (context, client, batchId) => {
  const part = context.args.text('part');
  const parts = part === null ? await client.batchParts(batchId, context.signal) : ok([]);
  if (!parts.ok) return parts;
  const names = part === null ? parts.value.map(({ name }) => name) : [part];
  const files: { fileName: string; part: string | null; contentType: string }[] = [];
  for (const name of names.length === 0 ? [null] : names) {
    const listed = await client.batchFiles(batchId, name, context.signal);
    if (!listed.ok) return listed;
    for (const { fileName, partName, contentType } of listed.value) {
      files.push({ fileName, part: partName ?? name, contentType });
    }
  }
  const none = noneIn(context, batchId, 'files');
  return showList(
    context.output,
    { batch: batchId },
    ['files', files, none],
    [
      ['part', (file) => file.part],
      ['file', (file) => exact(file.fileName)],
      ['content', (file) => file.contentType],
    ],
  );
});

async function downloadAll(context: CommandContext, batchId: string): Promise<Result<number>> {
  const { args, output } = context;
  const target = await readTarget(context);
  if (!target.ok) return target;
  const order = {
    batchId,
    target: target.value,
    part: args.text('part'),
    unpack: args.flag('unpack'),
  };
  return withSession(context, 'batch download', [], async (session) => {
    const fetched = await fetchOutputs(context, session, order, 'start');
    if (context.signal.aborted) {
      sayInterrupted(output);
      return ok(EXIT.interrupted);
    }
    if (!fetched.ok) {
      if (fetched.error.code !== 'service.notFound')
        output.say('What was downloaded is kept: the same command continues where it stopped.');
      return fetched;
    }
    const { files, bytes, exitCode } = fetched.value;
    reportDownloaded(output, { files, bytes, to: order.target }, 'file', order.unpack);
    return ok(exitCode);
  });
}

export const batch: Actions = {
  list,
  count: readCount,
  shards: readShards,
  parts: readParts,
  files: readFiles,
  download: (context, [id = '']) => downloadAll(context, id),
  receipt: (context, operands) => {
    const [id = '', ...more] = operands;
    if (context.args.flag('merge')) return mergeReceiptFiles(context, operands);
    if (context.args.text('against') !== null)
      return usage('--against checks receipts in files: name them with --merge');
    if (more.length > 0) return usage('batch receipt takes one ID; with --merge it takes receipts');
    return receipt(context, id);
  },
};
