import { expect, test } from 'vitest';
import { WATCH_TIMES } from '../../../../main/engine/core/limits.ts';
import { createFlush, type Flush } from '../../../../main/engine/watches/flush.ts';

interface Scene {
  readonly flush: Flush;
  now: number;
  oldest: number | null;
}

function createScene(): Scene {
  const scene: Scene = {
    now: 1_000_000,
    oldest: null,
    flush: createFlush(
      () => scene.now,
      WATCH_TIMES,
      () => scene.oldest,
    ),
  };
  return scene;
}

test('what waited before the program began is due at once', () => {
  const scene = createScene();
  scene.oldest = 7;
  expect(scene.flush.dueAt()?.at).toBe(Number.NEGATIVE_INFINITY);
});

test('nothing waits, nothing is due', () => {
  const scene = createScene();
  scene.flush.arrived(7);
  expect(scene.flush.dueAt()).toBeNull();
});

test('is due when nothing has come for a while', () => {
  const scene = createScene();
  scene.oldest = 7;
  scene.flush.arrived(7);
  expect(scene.flush.dueAt()?.at).toBe(scene.now + 3_000);
  scene.now += 2_000;
  scene.flush.arrived(8);
  expect(scene.flush.dueAt()?.at).toBe(scene.now + 3_000);
});

test('while files keep coming, due when the oldest waits long enough; what was sent counts no more', () => {
  const scene = createScene();
  const began = scene.now;
  scene.oldest = 1;
  for (let id = 1; id <= 40; id += 1) {
    scene.flush.arrived(id);
    scene.now += 1_000;
  }
  expect(scene.flush.dueAt()?.at).toBe(began + 30_000);
  const before = scene.flush.dueAt()?.mark;
  scene.oldest = 31;
  expect(scene.flush.dueAt()?.at).toBe(began + 39_000 + 3_000);
  expect(scene.flush.dueAt()?.mark).not.toBe(before);
});

test('what comes back because another file of its shard changed is due at once; a known file that is queued anew waits', () => {
  const scene = createScene();
  scene.oldest = 1;
  scene.flush.arrived(40);
  scene.flush.dueAt();
  scene.oldest = 41;
  scene.now += 30_000;
  scene.flush.arrived(60);
  expect(scene.flush.dueAt()?.at).toBe(scene.now + 3_000);
  scene.oldest = 7;
  expect(scene.flush.dueAt()?.at).toBe(Number.NEGATIVE_INFINITY);
  scene.oldest = null;
  scene.flush.dueAt();
  scene.oldest = 50;
  scene.flush.arrived(61);
  expect(scene.flush.dueAt()?.at).toBe(Number.NEGATIVE_INFINITY);
  scene.oldest = 8;
  scene.flush.arrived(8);
  expect(scene.flush.dueAt()?.at).toBe(scene.now + 3_000);
});
