import { beforeEach, expect, test, vi } from 'vitest';

const listeners: ((event: { preventDefault(): void }) => void)[] = [];
const quit = vi.fn(() => listeners.at(-1)?.({ preventDefault: () => undefined }));
vi.mock('electron', () => ({
  app: { on: (_: string, heard: (typeof listeners)[number]) => listeners.push(heard), quit },
  dialog: {},
}));
const { handleQuit } = await import('../../../../main/app/system/quitting.ts');

let passTime = (): void => undefined;
let asked: number[] = [];
const clock = {
  sleep: (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      asked.push(ms);
      passTime = resolve;
      signal.addEventListener('abort', () => resolve());
    }),
};
const context = { host: { busy: () => false, paused: () => false, ports: { clock } } };

let resources: string[] = [];
const kill = vi.fn((): true => true);
beforeEach(() => {
  vi.clearAllMocks();
  vi.spyOn(process, 'kill').mockImplementation(kill);
  resources = [];
  asked = [];
  vi.spyOn(process, 'getActiveResourcesInfo').mockImplementation(() => resources);
});

function start(stop: () => Promise<void>): () => boolean {
  const isEnding: unknown = Reflect.apply(handleQuit, undefined, [context, stop, () => true]);
  if (typeof isEnding !== 'function') throw new Error('it says nothing about its end');
  return () => isEnding() === true;
}

test('everything is stopped before the program ends', async () => {
  const stopping = Promise.withResolvers<void>();
  const isEnding = start(() => stopping.promise);
  quit();
  await vi.waitFor(() => expect(isEnding()).toBe(true));
  expect(quit).toHaveBeenCalledTimes(1);
  stopping.resolve();
  await vi.waitFor(() => expect(quit).toHaveBeenCalledTimes(2));
  expect(kill).not.toHaveBeenCalled();
});

test('what a drive holds that does not answer is not waited for long', async () => {
  const isEnding = start(() => new Promise(() => undefined));
  quit();
  await vi.waitFor(() => expect(isEnding()).toBe(true));
  passTime();
  await vi.waitFor(() => expect(kill).toHaveBeenCalledWith(process.pid, 'SIGKILL'));
});

test.each(['FSReqPromise', 'MessagePort'])(
  'a call on such a drive does not hold the end of the program (%s)',
  async (held) => {
    resources = [held];
    start(() => Promise.resolve());
    quit();
    await vi.waitFor(() => expect(asked).toEqual([30_000, 2_000]));
    expect(kill).not.toHaveBeenCalled();
    passTime();
    await vi.waitFor(() => expect(kill).toHaveBeenCalledWith(process.pid, 'SIGKILL'));
  },
);

test('a call that soon ends is waited for', async () => {
  resources = ['FSReqPromise'];
  start(() => Promise.resolve());
  quit();
  await vi.waitFor(() => expect(asked).toEqual([30_000, 2_000]));
  resources = [];
  passTime();
  await vi.waitFor(() => expect(quit).toHaveBeenCalledTimes(2));
  expect(kill).not.toHaveBeenCalled();
});
