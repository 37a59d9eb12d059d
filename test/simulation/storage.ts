/** The storage behind signed addresses: uploads go into a batch, and files of a batch can be downloaded. */
import { createHash } from 'node:crypto';
import { crc32c } from '@node-rs/crc32';
import { membersOfTar } from './bodies.ts';
import { isRejected } from './character.ts';
import { EPOCH_MS } from './clocks.ts';
import { contentHash } from '../../main/engine/files/contentHash.ts';
import { sha256Hex } from './disk.ts';
import { json, KEY, type ServiceAnswer, type ServiceRequest, STORAGE_URL } from './serviceWords.ts';
import { presentIn, SERVICE, type StoredFile } from './serviceState.ts';
import type { RouteGround } from './serviceWords.ts';

/** What a signed address accepts. */
export interface Registration {
  readonly kind: 'video' | 'shard';
  readonly batchId: string;
  /** The file's name, or the shard's id. */
  readonly name: string;
  readonly writer: string;
}

export interface Storage {
  register(registration: Registration): ServiceAnswer;
  addressOf(file: StoredFile): string;
  handle(request: ServiceRequest): ServiceAnswer;
}

interface Address extends Registration {
  readonly endsAt: number;
  taken: boolean;
}

const XML = { 'content-type': 'application/xml' };
const EXTENSION = { 'x-goog-content-length-range': '0,1073741824' };

function plain(status: number, text: string): ServiceAnswer {
  return { status, headers: XML, body: Buffer.from(`<Error><Code>${text}</Code></Error>`) };
}

function altered(bytes: Buffer): Buffer {
  const made = Buffer.from(bytes);
  const last = made.length - 1;
  if (last >= 0) made.writeUInt8(made.readUInt8(last) ^ 1, last);
  return made;
}

export function createStorage({ state, character, dice }: RouteGround): Storage {
  const addresses = new Map<string, Address>();

  const stated = (bytes: Buffer): Readonly<Record<string, string>> => {
    const md5 = createHash('md5').update(bytes);
    switch (character.states) {
      case 'nothing':
        return {};
      case 'goog': {
        const crc = Buffer.alloc(4);
        crc.writeUInt32BE(crc32c(bytes) >>> 0);
        return {
          'x-goog-hash': `crc32c=${crc.toString('base64')},md5=${md5.digest('base64')}`,
          'x-goog-stored-content-length': String(bytes.length),
        };
      }
      case 'etag':
        return { etag: `"${md5.digest('hex')}"` };
      case 'oddEtag':
        return { etag: `"${sha256Hex(bytes).slice(0, 32)}"` };
    }
  };

  /** Returns what is stored under the name now. */
  const takeVideo = ({ batchId, name, writer }: Address, bytes: Buffer): Buffer => {
    const batch = state.batch(batchId, 'videos', 'simple-batch');
    const kept = presentIn(batch).find((file) => file.name === name);
    if (character.keepsOlder && kept !== undefined) {
      if (kept.hash !== contentHash(bytes)) state.throwAway(contentHash(bytes));
      return kept.bytes;
    }
    for (const file of presentIn(batch)) if (file.name === name) file.gone = true;
    state.store(batch, { name, bytes, writer, shardId: null });
    return bytes;
  };

  const takeShard = ({ batchId, name, writer }: Address, body: Buffer): void => {
    const batch = state.batch(batchId, 'images', 'sharded-batch');
    const shard = batch.shards.find(({ id }) => id === name);
    if (shard === undefined) return;
    for (const file of presentIn(batch)) if (file.shardId === name) file.gone = true;
    const members = membersOfTar(body);
    const rejected: string[] = [];
    let indexedAt = state.now();
    for (const member of members ?? []) {
      if (isRejected(character, contentHash(member.bytes))) rejected.push(member.name);
      else
        indexedAt = Math.max(
          indexedAt,
          state.store(batch, { ...member, writer, shardId: name }).listedAt,
        );
    }
    shard.arrivedAt = state.now();
    shard.indexedAt = indexedAt;
    shard.members = members?.length ?? 0;
    shard.rejected = rejected;
  };

  const put = (request: ServiceRequest): ServiceAnswer => {
    const { url, headers, body } = request;
    const address = addresses.get(url.pathname);
    if (address === undefined) return plain(403, 'SignatureDoesNotMatch');
    if (state.now() >= address.endsAt) return plain(400, 'ExpiredToken');
    for (const [name, value] of Object.entries(EXTENSION))
      if (headers[name] !== value) return plain(403, 'MalformedSecurityHeader');
    const holder = state.batches.get(address.batchId);
    const sameName =
      address.kind === 'video' &&
      holder !== undefined &&
      presentIn(holder).some(({ name }) => name === address.name);
    if ((address.taken || sameName) && character.sameAddress === 'refuses')
      return plain(412, 'PreconditionFailed');
    const isKept = character.keepsOlder && address.taken;
    address.taken = true;
    const held = address.kind === 'video' ? takeVideo(address, body) : body;
    if (address.kind === 'shard' && !isKept) takeShard(address, body);
    return { status: 200, headers: stated(held), body: Buffer.alloc(0) };
  };

  const get = ({ url, headers }: ServiceRequest): ServiceAnswer => {
    const file = state.fileById(Number(url.pathname.split('/').at(-1)));
    const until = url.searchParams.get('until');
    if (until !== null && state.now() >= Number(until)) return plain(403, 'ExpiredToken');
    if (file === null || file.gone) return plain(404, 'NoSuchKey');
    const bytes = character.alters && file.writer !== SERVICE ? altered(file.bytes) : file.bytes;
    const own = { 'content-type': 'application/octet-stream', ...stated(bytes) };
    const from = /^bytes=(\d+)-(\d*)$/.exec(headers['range'] ?? '');
    const ifRange = headers['if-range'];
    const etag = 'etag' in own ? own.etag : undefined;
    if (from === null || (ifRange !== undefined && ifRange !== etag))
      return { status: 200, headers: own, body: bytes };
    const start = Number(from[1]);
    const end = from[2] === '' ? bytes.length : Math.min(bytes.length, Number(from[2]) + 1);
    if (start >= bytes.length) return plain(416, 'InvalidRange');
    const range = `bytes ${start}-${end - 1}/${bytes.length}`;
    return {
      status: 206,
      headers: { ...own, 'content-range': range },
      body: bytes.subarray(start, end),
    };
  };

  return {
    register: (registration) => {
      const path = `/up/${registration.batchId}/${dice.token(12)}`;
      // An address for a batch expires with the batch.
      const batchEndsAt = state.batches.get(registration.batchId)?.expiresAt ?? Infinity;
      const endsAt = Math.min(batchEndsAt, state.now() + character.addressLifeMs);
      const { kind, batchId, name } = registration;
      if (kind === 'video' && character.registered !== 'unlisted') {
        const batch = state.batch(batchId, 'videos', 'simple-batch');
        if (batch.registered.every((file) => file.name !== name)) state.reserve(batch, name);
      }
      addresses.set(path, { ...registration, endsAt, taken: false });
      const seconds = Math.floor((EPOCH_MS + character.skewMs + endsAt) / 1000);
      const expires = character.tellsExpiry ? `&Expires=${String(seconds)}` : '';
      const limits =
        registration.kind === 'shard' && character.maxMembers !== null
          ? { maxFilesCount: character.maxMembers }
          : {};
      return json(200, {
        status: 'ok',
        signedURLDetails: {
          uploadURL: `${STORAGE_URL}${path}?signature=${dice.token(16)}${expires}`,
          method: 'PUT',
          extensionHeaders: EXTENSION,
          ...limits,
        },
      });
    },
    addressOf: ({ id, writer }) => {
      const address = `${STORAGE_URL}/down/${String(id)}?signature=${dice.token(16)}`;
      // Only addresses of results expire early, so that seeds without jobs stay as they were.
      if (writer !== SERVICE) return address;
      return `${address}&until=${String(state.now() + character.jobs.addressLifeMs)}`;
    },
    handle: (request) => {
      const { url, headers } = request;
      if (`${url.href}${JSON.stringify(headers)}`.includes(KEY))
        state.violations.push(`the key went to the storage: ${request.method} ${url.pathname}`);
      if (request.method === 'PUT') return put(request);
      return request.method === 'GET' ? get(request) : plain(405, 'MethodNotAllowed');
    },
  };
}
