/**
 * The promise as one assertion: every file arrived exactly once, or has a stated reason why not. What another computer wrote into
 * the same batches does not count; whatever the service threw away or replaced must be there all the same.
 */
import { readdir } from 'node:fs/promises';
import { expect } from 'vitest';
import type { ReferenceService } from '../service/referenceService.ts';
import { isIngesting } from '../service/shards.ts';
import type { Replaced, StoredObject } from '../service/state.ts';
import type { Ledger, LedgerItem } from './ledgerView.ts';
import type { LocalFiles } from './localFiles.ts';

export interface Scene {
  readonly local: LocalFiles;
  readonly service: ReferenceService;
  readonly dataDirectory: string;
  readonly ledger: Ledger;
}

export interface ExactlyOnceOptions {
  /** SHA-256 of contents that the service has although no file holds them any more: sent before a change. */
  readonly former?: readonly string[];
  /** Every file must be confirmed or a duplicate of one that is. */
  readonly allConfirmed?: boolean;
  /** Bodies were damaged in transit: bad copies may exist next to the good ones, and files sent together with them may be there twice. */
  readonly damaged?: boolean;
  /** The ledger was damaged on purpose: the moved-aside one may be next to it. */
  readonly salvaged?: boolean;
}

const RESTING = ['confirmed', 'skipped', 'parked'];
const KEPT =
  /^(ledger\.db|ledger\.db-wal|ledger\.db-shm|lock\.db|lock\.db-journal|owner\.txt|logs)$/;
const SET_ASIDE = /^ledger\.db\.damaged-/;

/** What this computer put into a batch. */
function ours(service: ReferenceService, batchId: string): readonly StoredObject[] {
  return service.state.objects(batchId).filter(({ writer }) => writer === 'client');
}

/** What this computer put into batches, as it is now: SHA-256 of content → how often. */
function contentsAt(service: ReferenceService): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const batch of service.state.batches.values()) {
    if (batch.type === 'multipart-batch') continue;
    for (const object of ours(service, batch.batchId))
      times.set(object.sha256, (times.get(object.sha256) ?? 0) + 1);
  }
  return times;
}

function expectRest({ ledger }: Scene): void {
  const unsettled = ledger.items.filter((item) => !RESTING.includes(item.state));
  expect(unsettled, 'every item rests').toEqual([]);
  const moving = Object.keys(ledger.transfers).filter(
    (state) => !['confirmed', 'parked', 'dropped'].includes(state),
  );
  expect(moving, 'every transfer rests').toEqual([]);
  const silent = ledger.items.filter((item) => item.state !== 'confirmed' && item.reason === null);
  expect(silent, 'whatever is not confirmed has a reason').toEqual([]);
}

function newestItems(ledger: Ledger): ReadonlyMap<string, LedgerItem> {
  return new Map(ledger.items.map((item) => [item.path, item]));
}

async function expectFiles(scene: Scene, options: ExactlyOnceOptions): Promise<void> {
  const { local, ledger, service } = scene;
  const byPath = newestItems(ledger);
  const times = contentsAt(service);
  const wanted = new Set(options.former ?? []);
  const lost: string[] = [];
  const unexplained: string[] = [];
  for (const { path, sha256 } of await local.files()) {
    const item = byPath.get(path);
    const isThere = item?.state === 'confirmed' || item?.reason === 'item.duplicate';
    if (item === undefined) lost.push(path);
    else if (isThere) wanted.add(sha256);
    else if (options.allConfirmed === true)
      unexplained.push(`${path}: ${item.state} ${item.reason}`);
  }
  expect(lost, 'every file is in the ledger').toEqual([]);
  expect(unexplained, 'every file is confirmed').toEqual([]);
  const missing = [...wanted].filter((content) => !times.has(content));
  expect(missing, 'every confirmed content is at the service').toEqual([]);
  if (options.damaged === true) return;
  const twice = [...times].filter(([, count]) => count > 1);
  expect(twice, 'no content is at the service twice').toEqual([]);
  const foreign = [...times.keys()].filter((content) => !wanted.has(content));
  expect(foreign, 'nothing is at the service that no file holds').toEqual([]);
}

function expectCounts({ ledger, service }: Scene): void {
  const confirmed = new Map<string, number>();
  for (const item of ledger.items) {
    if (item.state !== 'confirmed' || item.batchId === null) continue;
    confirmed.set(item.batchId, (confirmed.get(item.batchId) ?? 0) + 1);
  }
  for (const [batchId, count] of confirmed) {
    expect(count, `confirmed in ${batchId}`).toBe(ours(service, batchId).length);
  }
}

function inWords({ batchId, object, by }: Replaced): string {
  return `${batchId}/${object.name}, replaced by ${by.writer}`;
}

/** Longest delay of a late commit in the tests, ms. */
const LATEST_COMMIT_MS = 350;

/** Resolves when nothing can arrive any more: late commits are over, and every shard is ingested. */
async function untilQuiet({ clock, log, state }: ReferenceService): Promise<void> {
  const late = log.requests.filter(({ fault }) => fault === 'lateCommit').map(({ at }) => at);
  const last = Math.max(0, ...late) + LATEST_COMMIT_MS;
  if (last > clock.now()) await clock.wait(last - clock.now());
  const isBusy = (): boolean => [...state.batches.values()].some(isIngesting);
  while (isBusy()) await clock.wait(10);
  await clock.settled();
}

/** Asserts the whole promise. */
export async function expectExactlyOnce(scene: Scene, options: ExactlyOnceOptions): Promise<void> {
  const { service, ledger, local, dataDirectory } = scene;
  await untilQuiet(service);
  expectRest(scene);
  await expectFiles(scene, options);
  if (options.damaged !== true) {
    expectCounts(scene);
    expect(service.state.doubles(), 'no name and no content twice in a batch').toEqual([]);
  }
  expect(service.state.lost().map(inWords), 'nothing of ours was replaced and is gone').toEqual([]);
  expect(service.state.violations, 'the service has nothing to complain about').toEqual([]);
  expect(ledger.integrity).toBe('ok');
  expect(ledger.addresses, 'no address is kept that is not needed').toBe(0);
  const stray = (await readdir(dataDirectory)).filter(
    (name) => !KEPT.test(name) && !(options.salvaged === true && SET_ASIDE.test(name)),
  );
  expect(stray, 'no stray files in the data directory').toEqual([]);
  await local.expectUntouched();
}
