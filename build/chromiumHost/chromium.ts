/** A running Chromium and the line to its debugger: a pipe, so that Chromium ends when this process does, however that happens. */
import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import type { CDPSession } from 'playwright';

/** Commands to one page or to the whole browser, and the events from there. Only the types are Playwright's: loading it takes as long as the application. */
export type Session = Pick<CDPSession, 'send' | 'on'>;

/** As the protocol's types describe it; Chromium is trusted to keep to them. */
type Parsed = ReturnType<typeof JSON.parse>;

interface Waiting {
  readonly sessionId: string | undefined;
  done(result: Parsed): void;
  failed(error: Error): void;
}

/** Starts a program that is a Chromium. */
export function startChromium(program: string, args: readonly string[]) {
  const isWindows = process.platform === 'win32';
  const child = spawn(program, [...args, '--remote-debugging-pipe', 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    // A group of its own: Ctrl+C in the terminal is for the application, and the whole group can be killed.
    detached: !isWindows,
  });
  const [, , , toChromium, fromChromium] = child.stdio;
  if (!(toChromium instanceof Writable) || !(fromChromium instanceof Readable)) {
    throw new Error('Chromium started without a line to its debugger.');
  }
  // Whatever is written after its end fails with that end.
  toChromium.on('error', () => undefined);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  child.once('error', () => end());
  child.once('close', () => end());
  const waiting = new Map<number, Waiting>();
  const events = new Map<string, EventEmitter>();
  let last = 0;
  let hasEnded = false;
  const fail = (which: (entry: Waiting) => boolean, why: string): void => {
    for (const [id, entry] of waiting) {
      if (which(entry) && waiting.delete(id)) entry.failed(new Error(why));
    }
  };
  void ended.then(() => {
    hasEnded = true;
    fail(() => true, 'Chromium has ended.');
  });
  readMessages(fromChromium, (message) => {
    const promise = waiting.get(message.id);
    waiting.delete(message.id);
    if (promise === undefined) {
      events.get(message.sessionId ?? '')?.emit(message.method, message.params);
    } else if (message.error === undefined) promise.done(message.result);
    else promise.failed(new Error(message.error.message));
    // A page that has gone answers nothing any more.
    const gone = goneSession(message);
    if (gone !== null) fail(({ sessionId }) => sessionId === gone, 'The page has gone.');
  });
  const sessionOf = (sessionId: string | undefined): Session => {
    const emitter = new EventEmitter();
    events.set(sessionId ?? '', emitter);
    return {
      send: (method: string, params?: object) =>
        new Promise<Parsed>((done, failed) => {
          if (hasEnded) return failed(new Error('Chromium has ended.'));
          const id = ++last;
          waiting.set(id, { sessionId, done, failed });
          toChromium.write(`${JSON.stringify({ id, sessionId, method, params })}\0`);
        }),
      on: (event: string | symbol, listener: (...args: never[]) => unknown) =>
        Reflect.apply(emitter.on, emitter, [event, listener]),
    };
  };
  const whole = sessionOf(undefined);
  return {
    whole,
    /** A session with a page, which the protocol calls a target. */
    attach: async (targetId: string): Promise<Session> => {
      const attached = await whole.send('Target.attachToTarget', { targetId, flatten: true });
      return sessionOf(attached.sessionId);
    },
    /** Resolves when it has ended, or at once when it did not start. */
    ended,
    kill: () => {
      if (child.pid === undefined || hasEnded) return;
      try {
        process.kill(isWindows ? child.pid : -child.pid, 'SIGKILL');
      } catch {
        // It has already ended by itself.
      }
    },
  };
}

/** A running Chromium. */
export type Chromium = ReturnType<typeof startChromium>;

interface Message {
  readonly id: number;
  readonly sessionId?: string;
  readonly method: string;
  readonly params?: Parsed;
  readonly result?: Parsed;
  readonly error?: { readonly message: string };
}

/** The session whose page has crashed or closed with this message; null when none has. */
function goneSession({ method, sessionId, params }: Message): string | null {
  if (method === 'Inspector.targetCrashed') return sessionId ?? null;
  return method === 'Target.detachedFromTarget' ? String(params.sessionId) : null;
}

/** Reads messages that end in a zero byte. */
function readMessages(from: Readable, onMessage: (message: Message) => void): void {
  let text = '';
  from.setEncoding('utf8').on('data', (more: string) => {
    const parts = (text + more).split('\0');
    text = parts.pop() ?? '';
    for (const part of parts) onMessage(JSON.parse(part));
  });
}
