/**
 * Reading of sources by the worker threads: a large file streamed with its hashes, a shard, and many small files identified. Prints rates
 * and the memory that grew; judges nothing but flat memory (design: at most 64 MB more, whatever the size).
 */
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFiles } from '../../main/engine/files/nodeFiles.ts';
import { tarMembers } from '../../main/engine/files/archive/tarStream.ts';
import type { Inspection, SourceMember } from '../../main/engine/core/model.ts';
import type { Files } from '../../main/engine/core/ports.ts';
import { tinyJpeg } from '../helpers/media.ts';

const MIB = 1024 * 1024;
const LARGE_BYTES = 2048 * MIB;
const MOST_EXTRA_BYTES = 64 * MIB;
const SMALL_FILES = 10_000;
const SMALL_BYTES = 100_000;
const SHARD_MEMBERS = 500;
const NOTHING = new Uint8Array(0);

interface Measured {
  readonly bytes: number;
  readonly seconds: number;
  readonly extraBytes: number;
}

/** Reads a stream to its end, as a receiver that is never the bottleneck. */
async function streamed(
  files: Files,
  members: readonly SourceMember[],
  trailer: Uint8Array,
): Promise<Measured> {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  const start = performance.now();
  let most = before;
  let bytes = 0;
  const stream = files.openSources(members, trailer, new AbortController().signal);
  for await (const chunk of stream.chunks) {
    bytes += chunk.length;
    most = Math.max(most, process.memoryUsage.rss());
  }
  if (stream.outcome().kind !== 'complete') throw new Error('a source changed');
  return { bytes, seconds: (performance.now() - start) / 1000, extraBytes: most - before };
}

async function inspected(files: Files, paths: readonly string[]): Promise<readonly Inspection[]> {
  return (await files.inspect(paths)).map((result) => {
    if (!result.ok) throw new Error(result.error.code);
    return result.value;
  });
}

function say(what: string, { bytes, seconds, extraBytes }: Measured): void {
  const rate = Math.round(bytes / MIB / seconds);
  const extra = Math.round(extraBytes / MIB);
  process.stdout.write(`${what}: ${rate} MiB/s, at most ${extra} MiB more memory\n`);
}

async function largeFile(files: Files, directory: string): Promise<Measured> {
  const path = join(directory, 'large.mp4');
  const handle = await open(path, 'w');
  await handle.truncate(LARGE_BYTES);
  await handle.close();
  const [found] = await inspected(files, [path]);
  if (found === undefined) throw new Error('no answer');
  const { sizeBytes, fingerprint } = found;
  const member = { path, sizeBytes, fingerprint, prefix: NOTHING, suffix: NOTHING };
  return streamed(files, [member], NOTHING);
}

async function shards(files: Files, directory: string): Promise<Measured> {
  const paths = Array.from({ length: SMALL_FILES }, (_, index) => join(directory, `${index}.jpg`));
  for (const [index, path] of paths.entries()) await writeFile(path, tinyJpeg(index, SMALL_BYTES));
  const start = performance.now();
  const found = await inspected(files, paths);
  const seconds = (performance.now() - start) / 1000;
  process.stdout.write(
    `${SMALL_FILES} files of ${SMALL_BYTES / 1000} kB: ${Math.round(SMALL_FILES / seconds)} identified per second\n`,
  );
  const entries = found.slice(0, SHARD_MEMBERS).map(({ sizeBytes, fingerprint }, index) => {
    const path = paths[index] ?? '';
    return { name: `${index}.jpg`, mtimeMs: 0, path, sizeBytes, fingerprint };
  });
  const plan = tarMembers(entries, []);
  return streamed(files, plan.members, plan.trailer);
}

const directory = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
const workerUrl = new URL('../../main/engine/files/pool/fileWorker.ts', import.meta.url);
const files = createFiles({ workerUrl });
try {
  say(`a shard of ${SHARD_MEMBERS} images`, await shards(files, directory));
  const large = await largeFile(files, directory);
  say('one file of 2 GiB', large);
  if (large.extraBytes > MOST_EXTRA_BYTES) {
    process.stdout.write('The memory was not flat.\n');
    process.exitCode = 1;
  }
} finally {
  await files.close();
  await rm(directory, { recursive: true, force: true });
}
