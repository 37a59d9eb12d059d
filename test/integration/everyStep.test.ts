/**
 * Each ledger write, each file read and each request fails once, in turn: after a restart everything is as
 * if nothing had happened.
 */
import { describe, expect, test } from 'vitest';
import type { Store } from '../../main/engine/store/store.ts';
import { sample, tinyJpeg, tinyPng } from '../helpers/media.ts';
import { sha256 } from './localFiles.ts';
import { filesWith, requestsThrough, stallAfter, withChunks, type Wrap } from './ports.ts';
import { createWorld, type Finished, type UploadOptions, type World } from './world.ts';

/** Counts operations, and says which one fails. */
interface Turn {
  count: number;
  readonly failing: number;
}

function fails(turn: Turn): boolean {
  turn.count += 1;
  return turn.count === turn.failing;
}

function diskError(): Error {
  return Object.assign(new Error('disk I/O error'), { errcode: 10 });
}

/** The nth write fails before it does anything, or right after its commit, like a crash. */
function failingStore(turn: Turn, when: 'before' | 'after'): (store: Store) => Store {
  const around = <T>(act: () => T): T => {
    const now = fails(turn);
    if (now && when === 'before') throw diskError();
    const value = act();
    if (now) throw diskError();
    return value;
  };
  return (store) => {
    let inside = false;
    return {
      ...store,
      transaction: (work) => {
        if (inside) return work();
        inside = true;
        try {
          return around(() => store.transaction(work));
        } finally {
          inside = false;
        }
      },
      soon: async (work) => {
        const now = fails(turn);
        if (now && when === 'before') throw diskError();
        const value = await store.soon(work);
        if (now) throw diskError();
        return value;
      },
    };
  };
}

function failingFiles(turn: Turn): Wrap {
  return filesWith((files) => ({
    list: async (directory) =>
      fails(turn)
        ? { ok: false, error: { code: 'directory.unreadable', next: 'park', context: {} } }
        : files.list(directory),
    inspect: async (paths, kind) => {
      const results = await files.inspect(paths, kind);
      return results.map((result) =>
        fails(turn)
          ? { ok: false, error: { code: 'file.busy', next: 'retry', context: {} } }
          : result,
      );
    },
    hash: async (path, kind) =>
      fails(turn)
        ? { ok: false, error: { code: 'item.unreadable', next: 'park', context: {} } }
        : files.hash(path, kind),
    openSources: (plan, options, signal) => {
      const broken = fails(turn);
      const source = files.openSources(plan, options, signal);
      if (!broken) return source;
      return {
        ...withChunks(source, async function* () {
          for await (const chunk of source.chunks()) {
            if (chunk.length > 100) yield chunk.subarray(0, 50);
            throw new Error('EIO');
          }
        }),
        outcome: () => ({ kind: 'changed', index: 0, code: 'item.unreadable' }),
      };
    },
  }));
}

const LOST = { kind: 'failure', fault: 'lost', detail: 'test' } as const;

/** The nth request is lost on the way there, or its answer on the way back. */
function failingHttp(turn: Turn, when: 'there' | 'back'): Wrap {
  return requestsThrough(async (http, request) => {
    const now = fails(turn);
    if (now && when === 'there') return { ...LOST, maybeSent: false };
    const answer = await http.request(request);
    if (!now || answer.kind !== 'answer') return answer;
    answer.body.dispose();
    return { ...LOST, maybeSent: true };
  });
}

async function prepare(finished: Finished): Promise<World> {
  const world = await createWorld({}, finished);
  for (const name of ['a/x.jpg', 'b/x.jpg', 'c.jpg']) {
    await world.local.write(
      name,
      tinyJpeg(Number.parseInt(sha256(Buffer.from(name)).slice(0, 6), 16)),
    );
  }
  await world.local.write('copy-of-c.png', tinyPng(1));
  await world.local.write('d.png', tinyPng(1));
  await world.local.write('clip.mp4', await sample('mp4'));
  await world.local.remember();
  return world;
}

/** The outcome of the scenario, whatever fails: states of the files. */
const NORMAL = { confirmed: 5, skipped: 1, attention: 0 };

/** A first run in which step n fails, then runs until all is well. Returns false when there is no step n. */
async function survives(world: World, first: UploadOptions, turn: Turn): Promise<boolean> {
  const options = { mode: first.mode ?? 'single' } as const;
  await world.upload({ ...first, ...options }).catch(() => null);
  const happened = turn.count >= turn.failing;
  let { tally } = await world.upload({ ...options, wraps: [stallAfter(1000)] });
  if (tally.attention > 0) {
    await world.cli(['problems', '--retry', 'all']);
    ({ tally } = await world.upload(options));
  }
  expect(tally).toMatchObject(NORMAL);
  await world.expectExactlyOnce({ allConfirmed: true });
  return happened;
}

interface Kind {
  readonly name: string;
  make(turn: Turn): UploadOptions;
}

const KINDS: readonly Kind[] = [
  { name: 'a write fails', make: (turn) => ({ wrapStore: failingStore(turn, 'before') }) },
  {
    name: 'the program ends behind a commit',
    make: (turn) => ({ wrapStore: failingStore(turn, 'after') }),
  },
  { name: 'a file cannot be read', make: (turn) => ({ wraps: [failingFiles(turn)] }) },
  { name: 'a request is lost', make: (turn) => ({ wraps: [failingHttp(turn, 'there')] }) },
  { name: 'an answer is lost', make: (turn) => ({ wraps: [failingHttp(turn, 'back')] }) },
];

/** How many steps are tested in parallel, and a limit that only an endless run reaches. */
const AT_ONCE = 6;
const MOST_STEPS = 120;

describe.each(['single', 'bulk'] as const)('%s', (mode) => {
  test.concurrent.for(KINDS)('$name, each in turn', async ({ make }, { onTestFinished }) => {
    let next = 1;
    let steps = 0;
    const lane = async (): Promise<void> => {
      for (;;) {
        const failing = next;
        next += 1;
        const turn: Turn = { count: 0, failing };
        const world = await prepare(onTestFinished);
        const happened = await survives(world, { ...make(turn), mode }, turn).catch(
          (error: unknown) => {
            throw new Error(`step ${failing} of ${mode}`, { cause: error });
          },
        );
        if (!happened) return;
        steps += 1;
        if (failing > MOST_STEPS) return;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    expect(steps).toBeGreaterThan(5);
    expect(steps).toBeLessThan(MOST_STEPS);
  });
});
