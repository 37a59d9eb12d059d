/** The parts of one running service, as handlers and background work see them. */
import type { Blob, BlobStore } from './blobStore.ts';
import type { Signer } from './signedUrl.ts';
import type { State, StoredObject } from './state.ts';
import type { Exchange } from './exchange.ts';

export type Dialect = 'spec' | 'live';

export interface Service {
  readonly state: State;
  readonly blobs: BlobStore;
  readonly signer: Signer;
  readonly dialect: Dialect;
  /** Only the specification's 18 operations are answered. */
  readonly specOnly: boolean;
}

/** Records something that a client must not do, in addition to its answer. */
export function violate(service: Service, exchange: Exchange, rule: string, detail: string): void {
  const { state } = service;
  state.violations.push({ at: state.clock.now(), requestId: exchange.entry.id, rule, detail });
}

/** A signed address for downloading an object. */
export function downloadUrl(service: Service, batchId: string, object: StoredObject): string {
  const { state, signer } = service;
  return signer.sign({
    method: 'GET',
    path: `/storage/objects/${batchId}/${object.objectId}`,
    at: state.clock.now(),
    lifeMs: state.settings.signedUrlMs,
    headers: {},
  });
}

/** Creates an object from stored bytes; it is not in any batch yet. */
export function newObject(
  service: Service,
  blob: Blob,
  given: Pick<StoredObject, 'name' | 'contentType'> &
    Partial<Pick<StoredObject, 'width' | 'height' | 'shardId' | 'partName' | 'writer'>>,
): StoredObject {
  return {
    objectId: service.state.newId('o'),
    width: null,
    height: null,
    shardId: null,
    partName: null,
    writer: 'client',
    ...given,
    sizeBytes: blob.lengthBytes,
    get sha256() {
      return blob.sha256();
    },
    arrivedAt: service.state.clock.now(),
    blob,
  };
}
