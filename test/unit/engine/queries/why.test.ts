import { describe, expect, test } from 'vitest';
import { sluiceError } from '../../../../main/engine/core/errors.ts';
import { isStamp } from '../../../../main/engine/core/ids.ts';
import { explain } from '../../../../preload/contract/messages.ts';
import {
  changeSince,
  type PathItem,
  sentenceOf,
  type FileStatus,
} from '../../../../main/engine/queries/why.ts';

const NOW = Date.UTC(2026, 10, 21, 12);

function item(fields: Partial<PathItem>): PathItem {
  return {
    id: 7,
    workspace: 'demo',
    destination: 'shelf',
    batch: null,
    state: 'queued',
    stateAt: NOW - 1000,
    reason: null,
    detail: null,
    sizeBytes: 10,
    stamp: '10:1:1:1',
    sha256: null,
    name: null,
    isUnread: false,
    retryAt: 0,
    lastCode: null,
    original: null,
    ...fields,
  };
}

describe('the sentence of an item', () => {
  test.each<readonly [Partial<PathItem>, string]>([
    [{ state: 'queued' }, 'In line: it has no place'],
    [{ state: 'queued', isUnread: true }, 'In line to be read'],
    [{ state: 'queued', isUnread: true, retryAt: NOW + 5 }, 'It waits until 2026-11-2'],
    [{ state: 'planned' }, 'In line: it is sent when its turn comes'],
    [{ state: 'planned', retryAt: NOW + 5, lastCode: 'service.busy' }, 'is busy'],
    [
      { state: 'planned', retryAt: NOW - 5, lastCode: 'service.busy' },
      'that failed: The service is',
    ],
    [{ state: 'sending' }, 'being sent now'],
    [{ state: 'sent' }, 'waiting for the service to confirm'],
    [{ state: 'unknown' }, 'the service is asked before anything is sent again'],
    [{ state: 'confirmed' }, 'Uploaded: the service confirmed it'],
    [{ state: 'skipped', reason: 'item.empty' }, 'Left out: The file is empty.'],
    [
      {
        state: 'skipped',
        reason: 'item.duplicate',
        original: { path: '/a.jpg', state: 'confirmed' },
      },
      'of /a.jpg, which the service has',
    ],
    [
      { state: 'skipped', reason: 'item.duplicate', original: { path: '/a.jpg', state: 'sent' } },
      'of /a.jpg, which was sent and waits to be confirmed.',
    ],
    [
      { state: 'skipped', reason: 'item.duplicate', original: { path: '/a.jpg', state: 'parked' } },
      'of /a.jpg, which needs you.',
    ],
    [{ state: 'skipped' }, 'Left out: nothing to do'],
    [{ state: 'parked', reason: 'item.rejected', detail: '{"said":"no animals"}' }, '(no animals)'],
  ])('%j: %s', (fields, said) => {
    expect(sentenceOf(item(fields), NOW)).toContain(said);
  });

  test('of a stopped file without a readable reason is complete all the same', () => {
    const rejected = item({ state: 'parked', reason: 'item.rejected', detail: 'no JSON' });
    const { message, hint } = explain({ code: 'item.rejected', context: {} });
    expect(sentenceOf(rejected, NOW)).toBe(`Stopped: ${message} ${hint}`);
    expect(sentenceOf(item({ state: 'parked' }), NOW)).toBe('Stopped: It needs you.');
  });
});

describe('a change since', () => {
  const file = (stamp: string): FileStatus => {
    if (!isStamp(stamp)) throw new Error('no stamp');
    return { kind: 'file', facts: { sizeBytes: 10, touchedAt: NOW, stamp } };
  };
  test('is distinguished by what was already uploaded', () => {
    const touched = file('10:2:2:1');
    expect(changeSince(item({ state: 'confirmed' }), touched)).toContain('the next upload');
    expect(changeSince(item({ state: 'planned' }), touched)).toContain('checked again');
    expect(changeSince(item({}), { kind: 'none' })).toContain('gone');
    const away = { kind: 'error', error: sluiceError('disk.missing') } as const;
    expect(changeSince(item({}), away)).toContain('not connected');
  });
  test('is not seen in an untouched file, or where nothing was known of it', () => {
    expect(changeSince(item({}), file('10:1:1:1'))).toBeNull();
    expect(changeSince(item({ stamp: '' }), file('10:1:1:1'))).toBeNull();
    expect(changeSince(item({}), { kind: 'directory' })).toBeNull();
  });
});
