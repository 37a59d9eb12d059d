import { expect, test } from 'vitest';
import { createSlots, type Stoppable } from '../../../../main/engine/watches/slots.ts';

/** Something that runs under a name until a test lets it stop. */
interface Runner extends Stoppable {
  readonly name: string;
}

function createScene() {
  const slots = createSlots<Runner>();
  const live = new Set<string>();
  const ends = new Map<string, () => void>();
  const make = (name: string): Runner => {
    const stopped = Promise.withResolvers<undefined>();
    live.add(name);
    ends.set(name, () => {
      live.delete(name);
      stopped.resolve(undefined);
    });
    return { name, stop: () => stopped.promise };
  };
  return {
    slots,
    /** Names of runners that run or are still stopping. */
    live,
    /** Starts a runner; it takes until `end` to stop. */
    start: (id: number, name: string) => slots.replace(id, () => make(name)),
    end: (name: string) => ends.get(name)?.(),
  };
}

type Scene = ReturnType<typeof createScene>;

test('edited twice while the first rule stops: only the last one runs', async () => {
  const { slots, live, start, end } = createScene();
  await start(1, 'v1');
  const second = start(1, 'v2');
  const third = start(1, 'v3');
  expect(slots.get(1)).toBeNull();
  end('v1');
  await Promise.all([second, third]);
  expect([...live]).toEqual(['v3']);
  expect(slots.get(1)?.name).toBe('v3');
});

test.each([
  ['removed', (scene: Scene) => scene.slots.replace(1, null)],
  ['closed with everything', (scene: Scene) => scene.slots.close()],
])('edited, then %s while the first rule stops: nothing runs', async (_, finish) => {
  const scene = createScene();
  await scene.start(1, 'v1');
  const edited = scene.start(1, 'v2');
  const finished = finish(scene);
  scene.end('v1');
  await Promise.all([edited, finished]);
  expect([...scene.live]).toEqual([]);
  expect(scene.slots.all()).toEqual([]);
});

test('removed and added again while it stops: it runs, once the first has stopped', async () => {
  const { live, start, end, slots } = createScene();
  await start(1, 'v1');
  const removed = slots.replace(1, null);
  const added = start(1, 'v2');
  expect([...live]).toEqual(['v1']);
  end('v1');
  await Promise.all([removed, added]);
  expect([...live]).toEqual(['v2']);
});

test('one id does not wait for another; what fails to start leaves the slot usable', async () => {
  const { slots, start } = createScene();
  await start(1, 'slow');
  void slots.replace(1, null);
  await start(2, 'other');
  expect(slots.all().map(({ name }) => name)).toEqual(['other']);
  const bug = new Error('a bug');
  const failed = slots.replace(3, () => {
    throw bug;
  });
  await expect(failed).rejects.toBe(bug);
  await start(3, 'again');
  expect(slots.get(3)?.name).toBe('again');
});
