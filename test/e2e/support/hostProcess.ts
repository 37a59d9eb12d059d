/** A running Chromium host: its process, its output, and the channel through which a test controls it. */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Launch } from './appUnderTest.ts';

const HOST = join(import.meta.dirname, '../../../build/chromiumHost/main.ts');

const COMPILE_CACHE = pathToFileURL(
  join(import.meta.dirname, '../../../build/compileCache.mjs'),
).href;

export interface HostProcess {
  readonly pid: number;
  readonly exited: Promise<number | null>;
  /** Sends a request to the host; fails with the host's own message. */
  ask(method: string, value?: unknown): Promise<unknown>;
  /** Resolves at the next page that finishes loading, or at once when one did since the last call. */
  nextPage(): Promise<void>;
  kill(signal: 'SIGKILL' | 'SIGTERM'): void;
  /** Lets go of it, as when this process ends: nobody reads its output or controls it any more. */
  abandon(): void;
  output(): string;
}

interface Waiting {
  done(value: unknown): void;
  failed(error: Error): void;
}

/** Starts the host on an application. It ends with this process. */
export function startHost(launch: Launch): HostProcess {
  const { entry, userDataDir, args } = launch;
  const chromium = ['--user-data-dir', userDataDir, '--remote-debugging-port', '0'];
  const child = fork(HOST, [entry, ...chromium, ...args], {
    env: { ...process.env, SLUICE_HEADLESS: '1', ...launch.env, SLUICE_HOST_CONTROL: '1' },
    // The runner's own loader flags must not reach the application; a compiled host starts in two thirds of the time.
    execArgv: ['--disable-warning=ExperimentalWarning', `--import=${COMPILE_CACHE}`],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const waiting = new Map<number, Waiting>();
  const pages = signal();
  let last = 0;
  const exited = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      const gone = new Error(`The application ended (exit code ${code}).\n${output}`);
      for (const { failed } of waiting.values()) failed(gone);
      waiting.clear();
      pages.fail(gone);
      resolve(code);
    });
  });
  child.on('message', (message: unknown) => {
    if (typeof message !== 'object' || message === null) return;
    if (Reflect.get(message, 'event') === 'page') return pages.fire();
    const id = Number(Reflect.get(message, 'id'));
    const promise = waiting.get(id);
    waiting.delete(id);
    if (Reflect.get(message, 'ok') === true) promise?.done(Reflect.get(message, 'value'));
    else promise?.failed(new Error(String(Reflect.get(message, 'error'))));
  });
  return {
    pid: child.pid ?? 0,
    exited,
    ask: (method, value = null) =>
      new Promise((done, failed) => {
        if (!child.connected) return failed(new Error(`The application has ended.\n${output}`));
        const id = ++last;
        waiting.set(id, { done, failed });
        // An application that ends just now is no error of the channel: "close" tells it, with its output.
        child.send({ id, method, value }, () => undefined);
      }),
    nextPage: () => pages.next(),
    kill: (signal) => void child.kill(signal),
    abandon: () => {
      child.stdout?.destroy();
      child.stderr?.destroy();
      child.disconnect();
    },
    output: () => output,
  };
}

/** A recurring event: `next` waits for it, or takes one that happened while nobody waited. */
function signal(): { fire(): void; fail(error: Error): void; next(): Promise<void> } {
  let missed = false;
  let gone: Error | null = null;
  let waiting: Waiting[] = [];
  const release = (tell: (entry: Waiting) => void): void => {
    const all = waiting;
    waiting = [];
    all.forEach(tell);
  };
  return {
    fire: () => {
      missed = waiting.length === 0;
      release(({ done }) => done(null));
    },
    fail: (error) => {
      gone = error;
      release(({ failed }) => failed(error));
    },
    next: async () => {
      if (missed) {
        missed = false;
        return;
      }
      if (gone !== null) throw gone;
      await new Promise((done, failed) => waiting.push({ done, failed }));
    },
  };
}
