import { describe, expect, it } from 'vitest';
import { manifestEntry } from '../../../../../main/engine/pipeline/download/manifest.ts';
import type { Output } from '../../../../../main/engine/store/tables/outputs.ts';

const OUTPUT: Output = {
  id: 1,
  connectionId: 1,
  batchId: 'job-export',
  part: 'summary',
  fileName: 'summary.csv',
  occurrence: 0,
  target: '/somewhere/results',
  path: '/somewhere/results/summary/summary.csv',
  unpack: false,
  state: 'done',
  sizeBytes: 12,
  sha256: 'abc',
  stamp: null,
  object: null,
  validator: null,
  syncedBytes: 0,
  lastCode: null,
};

describe('an entry of the manifest', () => {
  it('states name, part, path within the directory, size and hash', () => {
    expect(manifestEntry(OUTPUT)).toEqual({
      batch: 'job-export',
      part: 'summary',
      name: 'summary.csv',
      path: 'summary/summary.csv',
      sizeBytes: 12,
      sha256: 'abc',
    });
  });

  it('has no part where there is none', () => {
    expect(manifestEntry({ ...OUTPUT, part: '' })['part']).toBeNull();
  });

  it('says why a file is not there', () => {
    const parked = { ...OUTPUT, state: 'parked', lastCode: 'service.notFound' } as const;
    expect(manifestEntry(parked)).toMatchObject({ missing: 'service.notFound' });
    expect(manifestEntry(parked)).not.toHaveProperty('sha256');
    expect(manifestEntry({ ...OUTPUT, state: 'listed' })['missing']).toBe('not fetched');
  });
});
