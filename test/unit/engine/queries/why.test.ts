import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sluiceError } from '../../../../main/engine/core/errors.ts';
import { isStamp } from '../../../../main/engine/core/ids.ts';
import { explain } from '../../../../preload/contract/messages.ts';
import { pauseAll } from '../../../../main/engine/runner/liveSettings.ts';
import { createInlineFiles } from '../../../helpers/inlineFiles.ts';
import { moveItem } from '../../../../main/engine/store/transitions.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';
import { tinyPng, truncated } from '../../../helpers/media.ts';
import {
  changeSince,
  explainPath,
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
    foundAt: 0,
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
    [{ state: 'skipped', reason: 'item.empty' }, 'Skipped: The file is empty.'],
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
      'of /a.jpg, which needs attention.',
    ],
    [{ state: 'skipped' }, 'Skipped: nothing to do'],
    [{ state: 'parked', reason: 'item.rejected', detail: '{"said":"no animals"}' }, '(no animals)'],
  ])('%j: %s', (fields, said) => {
    expect(sentenceOf(item(fields), NOW)).toContain(said);
  });

  test('of a stopped file without a readable reason is complete all the same', () => {
    const rejected = item({ state: 'parked', reason: 'item.rejected', detail: 'no JSON' });
    const { message, hint } = explain({ code: 'item.rejected', context: {} });
    expect(sentenceOf(rejected, NOW)).toBe(`Needs attention: ${message} ${hint}`);
    expect(sentenceOf(item({ state: 'parked' }), NOW)).toBe(
      'Needs attention: the cause is unknown.',
    );
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

test('a file in line names what holds it up; one that is at rest does not', async () => {
  const { store, directory, item: add } = createTestLedger();
  const asked = { batchId: null, now: NOW, running: true };
  const [waiting, done] = [`${directory}/waiting.jpg`, `${directory}/done.jpg`];
  add(waiting);
  moveItem(store, add(done), 'skipped', NOW);
  const heldUp = async (path: string): Promise<boolean> => {
    const { details } = await explainPath(store, createInlineFiles(), path, asked);
    return details.some((detail) => detail.includes('Everything is paused'));
  };
  expect(await heldUp(waiting)).toBe(false);
  pauseAll(store, true);
  expect(await heldUp(waiting)).toBe(true);
  expect(await heldUp(done)).toBe(false);
});

test('a file that is read again later because its end is missing is said to be incomplete', async () => {
  const { store, directory, item: add } = createTestLedger();
  const path = join(directory, 'cut.png');
  writeFileSync(path, truncated(tinyPng(1)));
  add(path, { fingerprint: null, contentHash: null, retryAt: NOW + 5 });
  const asked = { batchId: null, now: NOW, running: true };
  const { headline, details } = await explainPath(store, createInlineFiles(), path, asked);
  expect(headline).toContain('It waits until');
  expect(details.join()).toContain(explain({ code: 'item.truncated', context: {} }).message);
});
