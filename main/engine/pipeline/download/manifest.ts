/**
 * `manifest.json` lists every file of a download with its size and SHA-256, so that the files can be checked later without Sluice. It
 * cannot collide with an output: outputs are one directory further down.
 */
import { join, relative, sep } from 'node:path';
import { fail, ok, type Result } from '../../core/errors.ts';
import { createDigest } from '../../core/digest.ts';
import { readableName } from '../../files/names/pathBytes.ts';
import type { PartFile } from '../../core/ports.ts';
import { readMeta, writeMeta } from '../../store/meta.ts';
import { type Output, outputPages } from '../../store/tables/outputs.ts';
import type { Pipeline } from '../context.ts';
import { inDirectory } from './diskRoom.ts';
import { ownPartPath } from './parts.ts';

/** Names tried before giving up: all of them would have to be files that Sluice did not write. */
const MAX_NAMES = 20;

/** True for a file that is in the directory, including an archive that could not be unpacked. */
function isHere({ state, lastCode }: Output): boolean {
  return state === 'done' || (state === 'parked' && lastCode?.startsWith('part.') === true);
}

/** One line of the manifest. Pure. */
export function manifestEntry(output: Output): Readonly<Record<string, unknown>> {
  const path = readableName(relative(output.target, output.path)).split(sep).join('/');
  const { batchId, fileName, part } = output;
  const who = { batch: batchId, part: part === '' ? null : part, name: fileName, path };
  return isHere(output)
    ? { ...who, sizeBytes: output.sizeBytes, sha256: output.sha256 }
    : { ...who, missing: output.lastCode ?? 'not fetched' };
}

/** The text in pieces: first the files that are there, then the missing ones. */
function* textOf(pipeline: Pipeline, target: string): Generator<string> {
  yield '{\n"format": "sluice-manifest-1",\n"files": [';
  for (const list of ['files', 'missing'] as const) {
    if (list === 'missing') yield '\n],\n"missing": [';
    let comma = '\n';
    for (const page of outputPages(pipeline.store, target)) {
      const wanted = page.filter((output) => isHere(output) === (list === 'files'));
      if (wanted.length === 0) continue;
      const lines = wanted.map((output) => JSON.stringify(manifestEntry(output)));
      yield comma + lines.join(',\n');
      comma = ',\n';
    }
  }
  yield '\n]\n}\n';
}

/** Writes the texts; returns the SHA-256 of all of them together. */
async function fill(part: PartFile, texts: Iterable<string>): Promise<Result<string>> {
  const emptied = await part.truncate();
  if (!emptied.ok) return emptied;
  const digest = createDigest({ md5: false });
  for (const text of texts) {
    const bytes = Buffer.from(text, 'utf8');
    digest.update(bytes);
    const written = await part.write(bytes);
    if (!written.ok) return written;
  }
  return ok(digest.finish().sha256);
}

/** Hashes of the last two manifests that this ledger wrote at a path: a crash can leave the older one in place. */
function ownHashes(pipeline: Pipeline, path: string): readonly string[] {
  return readMeta(pipeline.store, `manifest:${path}`)?.split(' ') ?? [];
}

/** The path with the first name that is free, or whose file we wrote: a file that a person put there or changed is left alone. */
async function pathFor(pipeline: Pipeline, target: string): Promise<string | null> {
  const { files } = pipeline.ports;
  for (let number = 1; number <= MAX_NAMES; number += 1) {
    const path = join(target, number === 1 ? 'manifest.json' : `manifest~${number}.json`);
    const type = await files.typeOf(path);
    if (type === null) return path;
    if (type !== 'file') continue;
    const hash = await files.hash(path, 'sha256');
    if (hash.ok && ownHashes(pipeline, path).includes(hash.value)) return path;
  }
  return null;
}

/** Writes the manifest of a directory, complete and synced or not at all. Returns its path. Errors: disk.full, disk.failed. */
export async function writeManifest(pipeline: Pipeline, target: string): Promise<Result<string>> {
  const { store, ports } = pipeline;
  const path = await pathFor(pipeline, target);
  if (path === null) return fail('disk.failed', { path: target, reason: 'no free name' });
  const part = await inDirectory(pipeline, path, () =>
    ports.files.openPart(path, ownPartPath(pipeline, path), null),
  );
  if (!part.ok) return part;
  try {
    const filled = await fill(part.value, textOf(pipeline, target));
    if (!filled.ok) return filled;
    const before = ownHashes(pipeline, path).filter((one) => one !== filled.value);
    store.transaction(() =>
      writeMeta(store, `manifest:${path}`, [filled.value, ...before].slice(0, 2).join(' ')),
    );
    const committed = await part.value.commit({ replace: true });
    return committed.ok ? ok(path) : committed;
  } finally {
    await part.value.close();
  }
}
