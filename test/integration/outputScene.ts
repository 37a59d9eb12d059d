/** A batch of outputs on the reference service, set up by a test, and a pipeline that fetches them. */
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Result } from '../../preload/contract/errors.ts';
import { createClient, ensureConnection } from '../../main/engine/runner/connect.ts';
import { downloadBatch } from '../../main/engine/jobs/downloads.ts';
import type { Downloaded, DownloadProgress } from '../../main/engine/jobs/downloads.ts';
import { openShared } from '../../main/engine/host/openLedger.ts';
import { createPipeline } from '../../main/engine/runner/createPipeline.ts';
import type { Pipeline } from '../../main/engine/pipeline/context.ts';
import type { PipelineTimes } from '../../main/engine/core/limits.ts';
import type { Batch, StoredObject } from '../service/state.ts';
import { createReferenceService, type ReferenceService } from '../service/referenceService.ts';
import type { ServiceOptions } from '../service/referenceService.ts';
import { createPorts, type Wrap, wrapped } from './ports.ts';
import { TEST_TIMES } from './world.ts';

interface FetchOptions {
  /** `out` by default. */
  readonly batchId?: string;
  readonly part?: string;
  readonly unpack?: boolean;
  readonly target?: string;
  readonly wraps?: readonly Wrap[];
  readonly signal?: AbortSignal;
  readonly onProgress?: DownloadProgress;
  /** For how long nothing was listed before, in ms. */
  readonly emptyForMs?: number;
  /** Overrides of the test times. */
  readonly times?: Partial<PipelineTimes>;
}

/** SHA-256 in hex. */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Bytes that never repeat within a test and end with zeros, as a file system may leave what it never wrote. */
export function contentOf(seed: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  for (let at = 0; at + 4 <= length - 100; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes.writeUInt32LE(state, at);
  }
  return bytes;
}

/** Puts any bytes into the service without a request: as a video of the other computer, whose content the service does not check. */
async function store(service: ReferenceService, bytes: Uint8Array): Promise<StoredObject> {
  const id = `v${Math.random().toString(36).slice(2)}`;
  const object = await service.otherComputer.uploadVideo(id, 'x.mp4', bytes);
  service.state.batches.delete(id);
  return object;
}

async function walk(directory: string, root: string, found: Map<string, string>): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await walk(path, root, found);
    else if (entry.isFile()) found.set(relative(root, path), sha256(await readFile(path)));
    else found.set(relative(root, path), 'no regular file');
  }
}

async function filesBelow(directory: string): Promise<Readonly<Record<string, string>>> {
  const found = new Map<string, string>();
  if ((await stat(directory).catch(() => null)) === null) return {};
  await walk(directory, directory, found);
  return Object.fromEntries([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function newBatch(service: ReferenceService): Batch {
  const now = service.state.clock.now();
  const batch: Batch = {
    batchId: 'out',
    displayName: 'out',
    type: 'multipart-batch',
    contentType: 'mixed',
    createdAt: now,
    expiresAt: now + 7 * 86_400_000,
    objects: [],
    shards: [],
    parts: [],
    jobs: [],
  };
  service.state.batches.set('out', batch);
  return batch;
}

function fetcher(service: ReferenceService, directory: string, target: string) {
  return async (options: FetchOptions = {}): Promise<Result<Downloaded>> => {
    const plain = createPorts({ write: () => undefined }, false);
    const ports = wrapped(plain, options.wraps ?? []);
    const ledger = openShared(join(directory, 'data'));
    try {
      const at = { apiUrl: service.url, projectsUrl: service.url, workspace: service.workspace };
      const connection = { ...at, apiKey: service.apiKey };
      const row = ensureConnection(ledger, connection);
      const client = createClient(ports, connection, null);
      const signal = options.signal ?? new AbortController().signal;
      const standard = createPipeline({ ports, store: ledger, client, connectionId: row, signal });
      const pipeline: Pipeline = {
        ...standard,
        times: { ...standard.times, ...TEST_TIMES, ...options.times },
      };
      const { part, unpack, batchId = 'out' } = options;
      const order = { batchId, part: part ?? null, unpack: unpack ?? false };
      const to = { ...order, target: options.target ?? target };
      const onProgress = options.onProgress ?? (() => undefined);
      const { emptyForMs = null } = options;
      const emptyAt = emptyForMs === null ? null : ports.clock.monotonicMs() - emptyForMs;
      return await downloadBatch(pipeline, to, signal, onProgress, 'start', emptyAt);
    } finally {
      ledger.close();
      await plain.files.close();
      await plain.http.close();
    }
  };
}

/** Creates a scene that is torn down at the end of the running test. */
export async function createOutputScene(options: ServiceOptions = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-outputs-'));
  const service = await createReferenceService(options);
  onTestFinished(async () => {
    await service.close();
    await rm(directory, { recursive: true, force: true });
  });
  const target = join(directory, 'results');
  const batch = newBatch(service);
  const name = (part: string) => (part === '' ? null : part);
  const addPart = (partName: string): void => {
    if (partName === '' || batch.parts.some((one) => one.partName === partName)) return;
    const types = { partType: 'simple-batch', contentType: 'metadata', nestedContentType: null };
    Object.assign(batch, {
      parts: [...batch.parts, { partName, partDescription: null, ...types }],
    });
  };
  return {
    service,
    /** Where outputs go. */
    target,
    /** Its parent directory, in which nothing else may appear. */
    directory,
    batch,
    /** Puts a file into a part ('' for none) of the batch `out`; returns its object. */
    put: async (part: string, fileName: string, bytes: Uint8Array) => {
      addPart(part);
      const object = { ...(await store(service, bytes)), name: fileName, partName: name(part) };
      service.state.addObject(batch, object);
      return object;
    },
    /** The same bytes under many names, without uploading them again. */
    repeat: (object: StoredObject, names: Iterable<string>) => {
      for (const fileName of names) {
        const objectId = service.state.newId('o');
        service.state.addObject(batch, { ...object, objectId, name: fileName });
      }
    },
    /** Replaces a file's content behind its name. */
    replace: async (object: StoredObject, bytes: Uint8Array) => {
      const stored = await store(service, bytes);
      const replaced = { ...stored, name: object.name, partName: object.partName };
      service.state.objectsById.set(replaced.objectId, { batch, object: replaced });
      batch.objects.splice(batch.objects.indexOf(object), 1, replaced);
      return replaced;
    },
    /** Fetches into the target; the same ledger every time. */
    fetch: fetcher(service, directory, target),
    /** Files under a directory: relative path → SHA-256. */
    files: (where?: string) => filesBelow(where ?? target),
    /** Requests for bytes so far. */
    gets: () => service.log.count('GET', /^\/storage\//),
    lists: () => service.log.count('GET', /\/list$/),
  };
}

export type OutputScene = Awaited<ReturnType<typeof createOutputScene>>;
