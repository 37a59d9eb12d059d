import { describe, expect, it } from 'vitest';
import { NO_COUNTS as counts } from '../../../../main/engine/status/counts.ts';
import type { AppSnapshot, PipelineStatus } from '../../../../preload/contract/snapshot.ts';
import type { WaitView } from '../../../../preload/contract/waits.ts';
import { gistOf, statusSentence } from '../../../../renderer/text/statusSentence.ts';
import { waitParts, waitSentence } from '../../../../renderer/text/waitSentence.ts';
import { snapshotOf } from '../../../e2e/gallery/snapshots.ts';
import { wait } from '../records.ts';

const quiet = { ...snapshotOf('first'), connections: snapshotOf('busy').connections };

const unreachable = quiet.connections.map((one) => ({ ...one, state: 'unreachable' as const }));

function say(line: Partial<PipelineStatus>, rest: Partial<AppSnapshot> = {}) {
  return statusSentence({ ...quiet, ...rest, pipeline: { ...quiet.pipeline, ...line } });
}

it('says that everything is confirmed only when nothing is left', () => {
  const confirmed = 17_342;
  expect(say({ counts: { ...counts, confirmed } })).toEqual({
    tone: 'confirmed',
    text: 'All 17,342 files confirmed',
  });
  expect(say({ counts: { ...counts, confirmed, sent: 3 } }).text).toBe(
    '3 files sent; the service has yet to confirm them',
  );
  expect(
    say(
      { counts: { ...counts, confirmed } },
      { problems: { count: 1, folders: 0, unread: 0, jobs: 0 } },
    ),
  ).toEqual({
    tone: 'needs',
    text: '1 file needs attention; 17,342 confirmed',
  });
  expect(
    say(
      { counts: { ...counts, confirmed } },
      { problems: { count: 1, folders: 0, unread: 0, jobs: 2 } },
    ),
  ).toEqual({
    tone: 'needs',
    text: '3 problems need attention; 17,342 confirmed',
  });
  const needing = (count: number, folders: number): string =>
    say({}, { problems: { count, folders, unread: 0, jobs: 0 }, watches: [] }).text;
  expect(needing(1, 1)).toBe('1 folder needs attention; 0 confirmed');
  expect(needing(2, 1)).toBe('2 problems need attention; 0 confirmed');
});

it('claims nothing about all files before every folder is read', () => {
  const watches = snapshotOf('busy').watches.map((watch) => ({
    ...watch,
    state: 'scanning' as const,
  }));
  const bytes = { confirmed: 0, sent: 98, onWire: 0, total: 100 };
  expect(say({ counts: { ...counts, confirmed: 1000 } }, { watches })).toEqual({
    tone: 'quiet',
    text: '1,000 confirmed; still looking for files',
  });
  expect(
    say({ counts: { ...counts, sending: 3 }, bytes, bytesPerSecond: 41e6 }, { watches }).text,
  ).toBe('3 files to go so far, 41 MB/s');
  const drops = snapshotOf('busy').drops.map((drop) => ({ ...drop, reading: true }));
  expect(drops).not.toEqual([]);
  expect(say({}, { drops }).text).toBe('Looking for files');
});

it('claims nothing about all files while a folder is not looked into', () => {
  const [one, other] = snapshotOf('busy').watches;
  if (one === undefined || other === undefined) throw new Error('too few watches');
  const paused = { ...one, counts, state: 'paused' as const };
  const missing = { ...other, state: 'missing' as const };
  const confirmed = { counts: { ...counts, confirmed: 1000 } };
  expect(say(confirmed, { watches: [paused] })).toEqual({
    tone: 'quiet',
    text: `1,000 confirmed; ${one.rule.name} is paused`,
  });
  expect(say(confirmed, { watches: [paused, missing] }).text).toBe(
    `1,000 confirmed; ${other.rule.name} is missing`,
  );
  expect(say({}, { watches: [paused, paused] }).text).toBe('2 folders are paused');
});

it('says what is left in a workspace that is not shown', () => {
  const [one] = quiet.connections;
  if (one === undefined) throw new Error('no connection');
  const other = { ...one, id: 2, workspace: 'lab', selected: false, queued: 200, attention: 0 };
  const confirmed = { counts: { ...counts, confirmed: 48 } };
  expect(say(confirmed, { connections: [one, other] })).toEqual({
    tone: 'waiting',
    text: 'All 48 files confirmed; 200 files to go in lab',
  });
  const needing = { ...other, queued: 0, attention: 1 };
  expect(say({}, { connections: [one, needing], watches: [] })).toEqual({
    tone: 'needs',
    text: 'Nothing to upload; 1 problem needs attention in lab',
  });
});

it('says what is sent, how fast and how long', () => {
  const bytes = { confirmed: 1e9, sent: 1e8, onWire: 1.3e8, total: 3e9 };
  const line = { counts: { ...counts, queued: 211, sending: 3 }, bytes, bytesPerSecond: 41e6 };
  expect(say({ ...line, leftMs: 118_000 }).text).toBe(
    '214 files to go, 41 % done, 41 MB/s, 2 min left',
  );
  expect(say({ ...line, leftMs: null }).text).toBe('214 files to go, 41 % done, 41 MB/s');
  const { transfers } = snapshotOf('busy').pipeline;
  expect(say({ ...line, transfers, leftMs: null, bytesPerSecond: 0 }).text).toBe(
    '214 files to go, 41 % done',
  );
  const problems = { count: 2, folders: 0, unread: 0, jobs: 0 };
  expect(say({ ...line, leftMs: null }, { problems }).text).toBe(
    '214 files to go, 41 % done, 41 MB/s; 2 files need attention',
  );
});

it('has the same gist while only figures change, and another when the state does', () => {
  const gists = [
    '214 files to go, 41 % done, 41 MB/s',
    '1 file to go, 99 % done, 980.5 kB/s, 2 min left',
    '214 files to go, 41 % done, 41 MB/s; 2 files need attention',
    'All 17,342 files confirmed',
    'Waiting for the network; nothing is lost. Next try in 5 s',
    'Waiting for the network; nothing is lost. Trying now',
  ].map(gistOf);
  expect(gists[1]).toBe(gists[0]);
  expect(gists[5]).toBe(gists[4]);
  expect(new Set(gists).size).toBe(4);
});

it('ends the sending with the last file, though the averaged rate has not come down yet', () => {
  expect(say({ counts: { ...counts, confirmed: 8 }, bytesPerSecond: 1800 }).text).toBe(
    'All 8 files confirmed',
  );
  expect(say({ counts: { ...counts, sent: 300 }, bytesPerSecond: 1.2e6 }).text).toBe(
    '300 files sent; the service has yet to confirm them',
  );
  // Those that are left have no size yet, and nothing of them has been sent.
  const bytes = { confirmed: 8e6, sent: 0, onWire: 0, total: 8e6 };
  expect(say({ counts: { ...counts, queued: 3 }, bytes, bytesPerSecond: 1800 }).text).toBe(
    '3 files queued',
  );
  const problems = { count: 5, folders: 0, unread: 0, jobs: 0 };
  expect(say({ counts: { ...counts, queued: 3 } }, { problems }).text).toBe(
    '3 files queued; 5 files need attention',
  );
});

it('says that a folder is paused when nothing else is left, though the averaged rate has not come down yet', () => {
  const bytes = { confirmed: 1e9, sent: 0, onWire: 0, total: 3e9 };
  const [watch] = snapshotOf('busy').watches;
  if (watch === undefined) throw new Error('no folder is watched');
  const rule = { ...watch.rule, name: 'Belt' };
  const paused = { ...watch, rule, state: 'paused', counts: { ...counts, queued: 81 } } as const;
  const line = { counts: paused.counts, bytes, bytesPerSecond: 42e3 };
  expect(say(line, { watches: [paused] })).toEqual({
    tone: 'waiting',
    text: '81 files wait; Belt is paused',
  });
  expect(say(line, { watches: [{ ...paused, state: 'watching' }] }).tone).toBe('moving');
  const more = { ...line, counts: { ...counts, queued: 162 } };
  expect(say(more, { watches: [paused] }).tone).toBe('moving');
  expect(say(more, { watches: [paused, paused] }).text).toBe(
    '162 files wait; their folders are paused',
  );
  const sent = { counts: { ...counts, sent: 5 }, bytesPerSecond: 0 };
  expect(say(sent, { watches: [{ ...paused, ...sent }] }).text).toBe(
    '5 files sent; the service has yet to confirm them',
  );
});

it('says why nothing moves, and that nothing is lost', () => {
  const waiting = { counts: { ...counts, queued: 4 } };
  const blockedBy = { code: 'net.offline', next: 'wait', context: {} } as const;
  const blocked = { ...waiting, blockedBy };
  expect(say(blocked, { connections: unreachable }).text).toBe(
    'Waiting for the network; nothing is lost',
  );
  // The service answers, and files are only tried again.
  expect(say(blocked).text).toBe('Uploads were interrupted; nothing is lost');
  expect(say({ ...waiting, blockedBy: { ...blockedBy, code: 'auth.rejected' } }).text).toBe(
    'The service refused the key',
  );
  expect(say({ blockedBy: { ...blockedBy, code: 'store.corrupt', next: 'stop' } })).toEqual({
    tone: 'needs',
    text: 'The ledger is damaged',
  });
  expect(say({ ...waiting, silentMs: 95_000 }).text).toContain('silent for 1 min');
  expect(say({ ...waiting, paused: true }).text).toBe('Paused; 4 files wait');
  // The network alone does not let anything continue.
  const noNetwork = wait({ kind: 'connection', code: 'net.offline' });
  const offline = say({ ...waiting, paused: true, blockedBy }, { waits: [noNetwork] });
  expect(offline.text).toBe('Paused; 4 files wait');
  const { transfers } = snapshotOf('busy').pipeline;
  expect(say({ ...waiting, paused: true, transfers }).text).toBe(
    'Pausing after the current uploads',
  );
});

it('says so when there is nothing to do', () => {
  expect(say({}).text).toBe('Nothing to upload');
  expect(say({}, { connections: [] }).text).toBe('Not connected yet');
  const { watches } = snapshotOf('busy');
  expect(say({}, { watches }).text).toBe('Watching 3 folders; 3 new files found');
  const still = watches.map((watch) => ({ ...watch, settling: 0 }));
  expect(say({}, { watches: still }).text).toBe('Watching 3 folders; nothing to upload yet');
  const all = { counts: { ...counts, confirmed: 2 } };
  expect(say(all, { watches }).text).toBe('All 2 files confirmed; 3 new files found');
});

it('waits for a service that is not there, and says so only while something waits', () => {
  const connections = quiet.connections.map((one) => ({ ...one, state: 'unreachable' as const }));
  expect(say({ counts: { ...counts, queued: 1 } }, { connections }).text).toBe(
    'Waiting for the network; nothing is lost',
  );
  expect(say({ counts: { ...counts, confirmed: 2 } }, { connections }).text).toContain('confirmed');
});

it('asks for the key, whether or not something waits', () => {
  const connections = quiet.connections.map((one) => ({ ...one, state: 'refused' as const }));
  expect(say({ counts: { ...counts, queued: 1 } }, { connections })).toEqual({
    tone: 'needs',
    text: 'The service refused the key; 1 file waits',
  });
  expect(say({}, { connections }).text).toBe('The service refused the key; nothing is queued');
});

describe('something that waits', () => {
  const blocked = wait({ code: 'network.proxyAuth', since: 0, nextAt: 30_000 });
  const queued = { counts: { ...counts, queued: 4 } };
  const sayAt = (line: Partial<PipelineStatus>, waits: readonly WaitView[], now: number) =>
    statusSentence({ ...quiet, waits, pipeline: { ...quiet.pipeline, ...line } }, now);

  it('is said in the words of the list, as time goes on', () => {
    const { tone, text } = sayAt(queued, [blocked], 20_000);
    expect(tone).toBe('needs');
    expect(text).toContain('requires a user name and a password. For 20 s now. Next try in 10 s.');
    expect(text).toBe(waitSentence(blocked, 20_000, quiet.connections));
    expect(sayAt(queued, [blocked], 25_000).text).toContain('Next try in 5 s.');
  });

  it('continues once the key works, while that is refused; nothing of it is tried before', () => {
    const failing: WaitView = { ...blocked, kind: 'failing', code: 'network.lost', count: 2 };
    const [connection] = quiet.connections;
    if (connection === undefined) throw new Error('no connection');
    const withKey = (workspace: string, state: typeof connection.state) =>
      waitSentence(failing, 40_000, [{ ...connection, workspace, state }]);
    expect(withKey('demo', 'ready')).toContain('Trying now.');
    expect(withKey('another', 'refused')).toContain('Trying now.');
    for (const state of ['refused', 'locked'] as const) {
      expect(withKey('demo', state)).toMatch(/For 40 s now\. They continue once the key works\.$/);
    }
    const paused: WaitView = { ...failing, kind: 'paused', code: null };
    const without = [{ ...connection, workspace: 'demo', state: 'refused' as const }];
    expect(waitSentence(paused, 0, without)).toContain('It continues when you resume it.');
    const written: WaitView = { ...failing, kind: 'unstable', code: null };
    expect(waitSentence(written, 0, without)).toContain('Next try in 30 s.');
    const missing: WaitView = { ...failing, kind: 'watch', code: 'watch.missing', nextAt: null };
    expect(waitSentence(missing, 0, without)).not.toContain('key');
    const full: WaitView = { ...failing, kind: 'download', code: 'disk.full' };
    expect(waitSentence(full, 0, without)).toMatch(
      /Free some space\. It continues once the key works\.$/,
    );
  });

  it('says less about a missing network', () => {
    const lost = { ...blocked, code: 'network.lost' } as const;
    const offline = 'Waiting for the network; nothing is lost.';
    expect(say(queued, { connections: unreachable, waits: [lost] }).text).toContain(offline);
    // The service answers, so the window says that it is connected.
    const interrupted = 'Uploads were interrupted; nothing is lost.';
    expect(sayAt(queued, [lost], 24_500).text).toBe(`${interrupted} Next try in 6 s`);
    expect(sayAt(queued, [lost], 31_000).text).toBe(`${interrupted} Trying now`);
    const cut = { ...lost, code: 'service.noAnswer' } as const;
    expect(sayAt(queued, [cut], 31_000).text).toBe(`${interrupted} Trying now`);
    expect(sayAt(queued, [{ ...lost, attention: true }], 0).text).toContain('Everything in demo');
  });

  it('is not said while nothing is left to send, unless it needs attention', () => {
    const passing: WaitView = { ...blocked, code: 'service.busy' };
    expect(sayAt({}, [passing], 0).text).toBe('Nothing to upload');
    expect(sayAt({}, [blocked], 0)).toMatchObject({ tone: 'needs' });
    const urgent = { ...passing, attention: true };
    expect(sayAt({}, [urgent], 3_600_000)).toMatchObject({ tone: 'needs' });
  });

  it('names what a person must mend before what ends by itself', () => {
    const written: WaitView = { ...blocked, kind: 'unstable', code: null, count: 1 };
    const refused: WaitView = { ...blocked, kind: 'held', name: 'gate', code: 'service.refused' };
    expect(sayAt(queued, [written, refused], 0).text).toMatch(/^Nothing is sent to batch gate/);
  });

  it('is split after what happened, and not in a name or a message', () => {
    const partsOf = (part: Partial<WaitView>) =>
      waitParts({ ...blocked, name: null, detail: null, ...part }, 20_000, quiet.connections);
    const full = partsOf({ kind: 'download', name: 'cups', code: 'disk.full' });
    expect(full[0]).toBe('The download of cups waits: the disk is full.');
    expect(full[1]).toMatch(/^Nothing is lost; .* For 20 s now\. /);
    const [away] = partsOf({ kind: 'watch', name: '/St. Anna', code: 'watch.missing' });
    expect(away).toMatch(/^Sluice cannot watch \/St\. Anna for now: .* answer\.$/);
    const detail = 'Not one of yours. Ask Ben';
    const [held] = partsOf({ kind: 'held', name: 'cups', code: 'service.refused', detail });
    expect(held).toMatch(/^Nothing is sent to batch cups .* Ask Ben\W*\.$/);
    expect(partsOf({ kind: 'paused', code: null })[0]).toBe('Everything is paused.');
  });

  it('does not call everything confirmed while a watched folder is away', () => {
    const away: WaitView = {
      ...blocked,
      kind: 'watch',
      name: '/media/card',
      code: 'watch.missing',
    };
    const said = sayAt({ counts: { ...counts, confirmed: 40 } }, [away], 0);
    expect(said.tone).toBe('needs');
    expect(said.text).toContain('/media/card');
  });

  it('gives way while other files are sent', () => {
    const failing: WaitView = { ...blocked, kind: 'failing', count: 2 };
    const bytes = { confirmed: 0, sent: 0, onWire: 0, total: 3e6 };
    const line = { counts: { ...counts, queued: 2, sending: 1 }, bytes, bytesPerSecond: 41e6 };
    expect(sayAt(line, [failing], 0).text).toMatch(/^3 files to go, 0 % done/);
    expect(sayAt(queued, [failing], 0).text).toMatch(/^2 files wait for another try/);
  });
});
