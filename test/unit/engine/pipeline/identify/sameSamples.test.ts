/** Large files are compared by samples first. Content that was sent from a path is recognised, and new content there is noticed. */
import { chmodSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fail } from '../../../../../main/engine/core/errors.ts';
import { createContentHash } from '../../../../../main/engine/files/fingerprint.ts';
import { identify } from '../../../../../main/engine/pipeline/identify/identify.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../../helpers/testPipeline.ts';

const OPTIONS = { destinationId: 1, isWatched: true };
/** Beyond the first 256 KiB and before the first sample between. */
const NOT_SAMPLED = 300_000;
const SAMPLED = 1_000;

/** A picture without compression, as some cameras write it, with a spot at this byte. */
function bitmap(spotAt: number, spot: number): Buffer {
  const [width, height] = [1_000, 1_000];
  const bytes = Buffer.alloc(54 + width * height * 3);
  bytes.write('BM');
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  bytes[spotAt] = spot;
  return bytes;
}

function scene(chooseBase?: () => string) {
  const ledger = createTestLedger();
  const directory = join(ledger.directory, 'images');
  mkdirSync(directory);
  const path = join(directory, 'latest.bmp');
  const pipeline = createTestPipeline(ledger);
  let hashed = 0;
  let isBroken = false;
  const { files } = pipeline.ports;
  const counting: typeof files = {
    ...files,
    hash: (...args) => {
      hashed += 1;
      return isBroken ? Promise.resolve(fail('file.busy')) : files.hash(...args);
    },
  };
  const counted = { ...pipeline, ports: { ...pipeline.ports, files: counting } };
  const look = (): Promise<void> =>
    identify(counted, { ...OPTIONS, ...(chooseBase && { chooseBase }) }, [
      { path, relativePath: 'latest.bmp', error: null },
    ]);
  let second = 1_000;
  return {
    path,
    hashes: () => hashed,
    disk: (state: 'works' | 'fails') => void (isBroken = state === 'fails'),
    look,
    /** Writes the file and has it found, as if it was sent at once when it is queued. */
    async arrives(content: Buffer): Promise<void> {
      writeFileSync(path, content);
      second += 10;
      utimesSync(path, second, second);
      await look();
      const whole = createContentHash(content.length);
      whole.update(content);
      ledger.store.run(
        `UPDATE items SET state = 'confirmed', content_hash = ? WHERE state = 'queued'`,
        whole.finish().hash,
      );
    },
    items: (): readonly string[] =>
      ledger.store
        .all('SELECT state, reason FROM items ORDER BY id')
        .map((row) => [row['state'], row['reason'] ?? ''].join(' ').trim()),
  };
}

test('new content of the same size and samples under the same path is sent', async () => {
  const { arrives, items } = scene();
  await arrives(bitmap(NOT_SAMPLED, 1));
  await arrives(bitmap(NOT_SAMPLED, 2));
  expect(items()).toEqual(['confirmed', 'confirmed']);
});

test('new content under the same path is sent, also when a rule chooses another batch by now', async () => {
  let day = 1;
  const { arrives, items } = scene(() => `day-${String(day)}`);
  await arrives(bitmap(NOT_SAMPLED, 1));
  day = 2;
  await arrives(bitmap(NOT_SAMPLED, 2));
  expect(items()).toEqual(['confirmed', 'confirmed']);
  await arrives(bitmap(NOT_SAMPLED, 2));
  expect(items()).toEqual(['confirmed', 'confirmed']);
});

test('new content that cannot be read completely at first is noticed at the next look', async () => {
  const { arrives, disk, look, items } = scene();
  await arrives(bitmap(NOT_SAMPLED, 1));
  disk('fails');
  await arrives(bitmap(NOT_SAMPLED, 2));
  expect(items()).toEqual(['confirmed']);
  disk('works');
  await look();
  expect(items()).toEqual(['confirmed', 'queued']);
});

test('a file that was written again with its own content is not sent again', async () => {
  const { arrives, items } = scene();
  await arrives(bitmap(NOT_SAMPLED, 1));
  await arrives(bitmap(NOT_SAMPLED, 1));
  expect(items()).toEqual(['confirmed']);
});

test('content that was sent from this path before is not sent again', async () => {
  const { arrives, items } = scene();
  await arrives(bitmap(SAMPLED, 1));
  await arrives(bitmap(SAMPLED, 2));
  await arrives(bitmap(SAMPLED, 1));
  expect(items()).toEqual(['confirmed', 'confirmed', 'skipped item.duplicate']);
});

test('a large file with new permissions only is not read completely', async () => {
  const { arrives, path, look, hashes, items } = scene();
  await arrives(bitmap(SAMPLED, 1));
  chmodSync(path, 0o600);
  await look();
  expect(items()).toEqual(['confirmed']);
  expect(hashes()).toBe(0);
});
