/** A separate ledger for one test, with what is needed to put items into it. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { isFingerprint, isStamp } from '../../main/engine/core/ids.ts';
import { addBatch, type Batch } from '../../main/engine/store/tables/batches.ts';
import { ensureConnection, ensureDestination } from '../../main/engine/store/tables/connections.ts';
import { addItem, type Identified } from '../../main/engine/store/tables/items.ts';
import { openStore, type Store } from '../../main/engine/store/store.ts';
import {
  addTransfers,
  beginSending,
  markSent,
  type Transfer,
  transferById,
} from '../../main/engine/store/tables/transfers.ts';
import { scratch } from './scratch.ts';

export interface TestLedger {
  readonly directory: string;
  readonly store: Store;
  readonly connectionId: number;
  readonly destinationId: number;
  /** A bulk batch of images created here, unless `given` says otherwise. */
  batch(given?: Partial<Batch>): Batch;
  /** Queues an image of this path and content. */
  item(path: string, given?: Partial<Identified>): number;
  /** Plans a transfer of one new item for each path. */
  transfer(batch: Batch, paths: readonly string[]): { id: number; itemIds: readonly number[] };
  /** A transfer is sent and answered at this time. */
  sent(transferId: number, at: number, proof?: Transfer['proof']): void;
  /** A transfer as the ledger has it now. */
  stored(transferId: number): Transfer;
}

/** What identification reports for an image with this content. */
export function identified(content: string, given: Partial<Identified> = {}): Identified {
  const hash = createHash('sha256').update(content).digest('hex');
  const stamp = `1:2:3:${parseInt(hash.slice(0, 12), 16)}`;
  const fingerprint = `s100-${hash}`;
  if (!isStamp(stamp) || !isFingerprint(fingerprint)) throw new Error('test values are legal');
  return {
    kind: 'image',
    sizeBytes: 100,
    stamp,
    fingerprint,
    contentHash: content,
    state: 'queued',
    reason: null,
    duplicateOf: null,
    retryAt: 0,
    ...given,
  };
}

let empty: Buffer | null = null;

/** An empty ledger, made once: making one takes ten times as long as opening a copy, most of it for the disk. */
function emptyLedger(): Buffer {
  if (empty !== null) return empty;
  const path = join(scratch(), 'ledger.db');
  openStore(path).close();
  return (empty = readFileSync(path));
}

/** Opens an empty ledger with one connection and one destination. */
export function createTestLedger(now = 1000): TestLedger {
  const directory = scratch();
  const path = join(directory, 'ledger.db');
  writeFileSync(path, emptyLedger());
  const store = openStore(path);
  onTestFinished(() => store.close());
  // A unit test never loses power, and waiting for the disk would take most of its time.
  store.get('PRAGMA synchronous = OFF');
  const connectionId = ensureConnection(store, {
    apiUrl: 'http://127.0.0.1:1',
    projectsUrl: 'http://127.0.0.1:1',
    workspace: 'demo',
  });
  const destinationId = ensureDestination(store, connectionId, 'batch-1');
  const item: TestLedger['item'] = (path, given) =>
    addItem(
      store,
      { destinationId, path, relativePath: path, baseId: null },
      identified(path, given),
      now,
    );
  return {
    directory,
    store,
    connectionId,
    destinationId,
    item,
    batch: (given = {}) =>
      addBatch(
        store,
        {
          connectionId,
          baseId: 'batch-1',
          generation: 1,
          batchId: 'batch-1',
          displayName: null,
          kind: 'image',
          mode: 'bulk',
          isExclusive: true,
          ...given,
        },
        null,
        now,
      ),
    transfer: (batch, paths) => {
      const itemIds = store.transaction(() => paths.map((path) => item(path)));
      const members = itemIds.map((itemId, index) => {
        const name = paths[index] ?? '';
        return { itemId, name, nameKey: name };
      });
      const kind = batch.mode === 'bulk' ? 'shard' : batch.kind;
      const planned = { kind, sizeBytes: 100, notification: null, members } as const;
      const [id = 0] = addTransfers(store, batch.id, [planned], now);
      return { id, itemIds };
    },
    sent: (id, at, proof = null) => {
      beginSending(store, [id], at);
      markSent(store, [{ id, hashes: [], proof }], at, at);
    },
    stored: (transferId) => {
      const transfer = transferById(store, transferId);
      if (transfer === null) throw new Error('the transfer is there');
      return transfer;
    },
  };
}
