/** What the storage states about stored bytes, in the headers of PUT, GET and HEAD answers. */
import { createHash } from 'node:crypto';
import type { Blob } from './blobStore.ts';
import type { Settings } from './settings.ts';

/** The headers for these bytes; `plainEtag` is the ETag of a storage that states no checksums. */
export function storedHeaders(
  states: Settings['states'],
  blob: Blob,
  plainEtag: string,
): Readonly<Record<string, string>> {
  if (states === 'none') return { etag: `"${plainEtag}"` };
  if (states === 'odd-etag') return { etag: `"${oddEtag(blob)}"` };
  const { crc32c, md5 } = blob.checksums();
  const etag = `"${md5.toString('hex')}"`;
  const [crc, digest] = [crc32c.toString('base64'), md5.toString('base64')];
  switch (states) {
    case 'goog':
      return {
        etag,
        'x-goog-hash': `crc32c=${crc},md5=${digest}`,
        'x-goog-stored-content-length': `${blob.lengthBytes}`,
        'x-goog-stored-content-encoding': 'identity',
      };
    case 'amz':
      return { etag, 'x-amz-checksum-crc32c': crc, 'x-amz-checksum-type': 'FULL_OBJECT' };
    case 'etag':
      return { etag };
  }
}

/** Looks like an MD5 but is not one; the same bytes always give the same value. */
function oddEtag(blob: Blob): string {
  return createHash('md5').update(`encrypted ${blob.sha256()}`).digest('hex');
}
