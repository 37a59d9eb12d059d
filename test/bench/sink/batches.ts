/** The sink's answers: as much of the service as an upload and a download need. Bodies are counted, not kept. */
import { crc32c } from '@node-rs/crc32';
import type { Answer, Head, Taker } from './httpStream.ts';

const PAGE = 1000;
const TAR_BLOCK = 512;
/** Types of a regular file's header; others are directories, or headers with more about the next file. */
const FILE_TYPES: readonly number[] = [0, '0'.charCodeAt(0)];
const IMAGES = 'images';
const VIDEOS = 'videos';
/** The content of downloads: not all zeros, which some disks do not really write. */
const BLOCK = Buffer.from(Array.from({ length: 1 << 20 }, (_, index) => (index * 31) % 251));

interface StoredFile {
  readonly name: string;
  readonly bytes: number;
  readonly crc: number | null;
  readonly contentType: string;
}

interface Shard {
  readonly id: string;
  objects: number;
  isThere: boolean;
}

interface Batch {
  readonly files: StoredFile[];
  readonly shards: Shard[];
}

function json(value: unknown, status = 200): Answer {
  const body = Buffer.from(JSON.stringify(value));
  return { status, headers: { 'content-type': 'application/json' }, body };
}

function hashHeader(crc: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc >>> 0);
  return `crc32c=${bytes.toString('base64')}`;
}

function stored({ bytes, crc }: Pick<StoredFile, 'bytes' | 'crc'>): Answer['headers'] & object {
  return {
    etag: `"${bytes}-${crc}"`,
    'x-goog-stored-content-length': bytes,
    ...(crc === null ? {} : { 'x-goog-hash': hashHeader(crc) }),
  };
}

const ignore = (answer: () => Answer): Taker => ({ chunk: () => undefined, end: answer });

/** Reads only the names in an archive, while it arrives. */
function tarNames(found: (name: string, bytes: number) => void): (bytes: Buffer) => void {
  let header: Buffer = Buffer.alloc(0);
  let skip = 0;
  return (bytes) => {
    let rest = bytes;
    while (rest.length > 0) {
      if (skip > 0) {
        const own = Math.min(skip, rest.length);
        skip -= own;
        rest = rest.subarray(own);
        continue;
      }
      const own = rest.subarray(0, TAR_BLOCK - header.length);
      header = header.length === 0 ? own : Buffer.concat([header, own]);
      rest = rest.subarray(own.length);
      if (header.length < TAR_BLOCK) return;
      const size = Number.parseInt(header.toString('latin1', 124, 136).replace(/\0.*$/, ''), 8);
      const name = header.toString('utf8', 0, 100).replace(/\0.*$/s, '');
      if (name !== '' && FILE_TYPES.includes(header[156] ?? 0)) found(name, size);
      skip = Number.isNaN(size) ? 0 : Math.ceil(size / TAR_BLOCK) * TAR_BLOCK;
      header = Buffer.alloc(0);
    }
  };
}

/** A batch that is ready for download: `files-COUNTxBYTES`. */
function readyBatch(id: string): Batch | null {
  const match = /^files-(\d+)x(\d+)$/.exec(id);
  if (match === null) return null;
  const [count, bytes] = [Number(match[1]), Number(match[2])];
  const crc = crcOf(bytes);
  const files = Array.from({ length: count }, (_, index) => ({
    name: `file-${index}.bin`,
    bytes,
    crc,
    contentType: 'archives',
  }));
  return { files, shards: [] };
}

function crcOf(bytes: number): number {
  let crc = 0;
  for (let left = bytes; left > 0; left -= BLOCK.length)
    crc = crc32c(BLOCK.subarray(0, Math.min(left, BLOCK.length)), crc);
  return crc;
}

/** Creates the answers of a sink, whose address is known once it listens. */
export function createAnswers(address: () => string): (head: Head) => Taker {
  const batches = new Map<string, Batch>();
  const uploads = new Map<string, { batch: Batch; name: string | null; shard: Shard | null }>();
  const batchOf = (id: string): Batch => {
    const batch = batches.get(id) ?? readyBatch(id) ?? { files: [], shards: [] };
    batches.set(id, batch);
    return batch;
  };

  const register = (batch: Batch, name: string | null): Answer => {
    const id = `u${uploads.size}`;
    const shard =
      name === null ? { id: `s${batch.shards.length}`, objects: 0, isThere: false } : null;
    if (shard !== null) batch.shards.push(shard);
    uploads.set(id, { batch, name, shard });
    const details = { uploadURL: `${address()}/storage/uploads/${id}`, method: 'PUT' };
    return json({ status: 'ok', signedURLDetails: { ...details, extensionHeaders: {} } });
  };

  /** A form with one file in it. */
  const takeImage = (batch: Batch, name: string): Taker => {
    const parts: Buffer[] = [];
    return {
      chunk: (bytes) => void parts.push(bytes),
      end: () => {
        const form = Buffer.concat(parts);
        const start = form.indexOf('\r\n\r\n') + 4;
        const boundary = form.subarray(0, form.indexOf('\r\n'));
        const end = form.indexOf(Buffer.concat([Buffer.from('\r\n'), boundary]), start);
        const file = form.subarray(start, end);
        if (start < 4 || end < 0) return json({ message: 'no form' }, 400);
        batch.files.push({ name, bytes: file.length, crc: crc32c(file), contentType: IMAGES });
        return json({ status: 'ok' });
      },
    };
  };

  const takeBody = (id: string): Taker => {
    const upload = uploads.get(id);
    if (upload === undefined) return ignore(() => json({ message: 'no such address' }, 404));
    const { batch, name, shard } = upload;
    let [length, crc] = [0, 0];
    const members: StoredFile[] = [];
    const read = tarNames((member, bytes) => {
      members.push({ name: member, bytes, crc: null, contentType: IMAGES });
    });
    return {
      chunk: (bytes) => {
        length += bytes.length;
        crc = crc32c(bytes, crc);
        if (shard !== null) read(bytes);
      },
      end: () => {
        for (const member of members) batch.files.push(member);
        if (shard !== null) Object.assign(shard, { objects: members.length, isThere: true });
        if (name !== null) batch.files.push({ name, bytes: length, crc, contentType: VIDEOS });
        return { status: 200, headers: stored({ bytes: length, crc }) };
      },
    };
  };

  const list = (id: string, { files }: Batch, from: number): Answer => {
    const page = files.slice(from, from + PAGE);
    const next = from + page.length < files.length ? String(from + page.length) : null;
    const filesMetadata = page.map(({ name, contentType }, index) => ({
      ...{ downloadURL: `${address()}/storage/objects/${id}/${from + index}`, fileName: name },
      partName: null,
      shardId: null,
      contentType,
      nestedContentType: null,
    }));
    return json({ status: 'ok', nextPageToken: next, filesMetadata });
  };

  const shards = ({ shards: all }: Batch): Answer =>
    json({
      status: 'ok',
      shards: all.map(({ id, objects, isThere }) => ({
        shardId: id,
        statusName: isThere ? 'indexed' : 'registered',
        statusType: isThere ? 'success' : 'info',
        shardObjectsCount: objects,
        statusMetadata: null,
      })),
    });

  const sendObject = ({ method, headers }: Head, file: StoredFile | undefined): Answer => {
    if (file === undefined) return json({ message: 'no such object' }, 404);
    const range = /^bytes=(\d+)-(\d*)$/.exec(headers['range'] ?? '');
    const from = Number(range?.[1] ?? 0);
    const until = Math.min(file.bytes, Number(range?.[2] || file.bytes - 1) + 1);
    const common = { ...stored(file), 'content-type': 'application/octet-stream' };
    const span = `bytes ${from}-${until - 1}/${file.bytes}`;
    const answer = range === null ? common : { ...common, 'content-range': span };
    const status = range === null ? 200 : 206;
    if (method === 'HEAD')
      return { status, headers: { ...answer, 'content-length': until - from } };
    return { status, headers: answer, repeat: { block: BLOCK, bytes: until - from } };
  };

  return (head) => {
    const { pathname, searchParams } = new URL(head.target, 'http://sink');
    const [, first = '', second = '', third = '', fourth = ''] = pathname.split('/');
    if (first === 'storage' && second === 'uploads') return takeBody(third);
    if (first === 'storage') {
      const file = batchOf(third).files[Number(fourth)];
      return ignore(() => sendObject(head, file));
    }
    const match = /^\/data-staging\/v1\/external\/[^/]+\/batches\/([^/]+)\/(.+)$/.exec(pathname);
    if (pathname === '/') return ignore(() => json({ workspace: 'demo' }));
    if (match === null) return ignore(() => ({ status: 200 }));
    const [, id = '', operation = ''] = match;
    const batch = batchOf(id);
    const name = searchParams.get('fileName') ?? '';
    if (operation === 'upload/image') return takeImage(batch, name);
    return ignore(() => {
      switch (operation) {
        case 'upload/video':
          return register(batch, name);
        case 'bulk-upload/image-files':
          return register(batch, null);
        case 'count':
          return json({ status: 'ok', count: batch.files.length });
        case 'shards':
          return shards(batch);
        case 'parts':
          return json({ status: 'ok', batchParts: [] });
        case 'list':
          return list(id, batch, Number(searchParams.get('nextPageToken') ?? 0));
        default:
          return json({ message: 'not here' }, 404);
      }
    });
  };
}
