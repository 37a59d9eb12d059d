/** Makes everything that the host does not have fail by name instead of being quietly absent. */
import { EventEmitter } from 'node:events';

/** The error of a part of Electron that the Chromium host does not have. */
export function notOnHostError(name: string): Error {
  return new Error(`${name} is not on the Chromium host: implement it in build/chromiumHost.`);
}

/** A stand-in for a whole export of Electron that the host does not have: importing is free, using it throws. */
export function notOnHost(name: string): unknown {
  // Not an arrow: `new` must reach the trap too.
  function refuse(): never {
    throw notOnHostError(name);
  }
  return new Proxy(refuse, {
    get: (_target, key) => (isQuiet(key) ? undefined : refuse()),
    apply: refuse,
    construct: refuse,
  });
}

// What consoles, promises and test tools ask of any object; Node's own fields begin with an underscore.
const QUIET = new Set(['then', 'toJSON', 'domain', 'asymmetricMatch', 'nodeType', 'inspect']);

function isQuiet(key: string | symbol): boolean {
  return typeof key === 'symbol' || key.startsWith('_') || QUIET.has(key);
}

function guarded(root: object): object {
  return new Proxy(root, {
    get(target, key, receiver): unknown {
      if (key in target || isQuiet(key)) return Reflect.get(target, key, receiver);
      throw notOnHostError(`${className(receiver)}.${String(key)}`);
    },
  });
}

function className(value: unknown): string {
  const maker: unknown =
    typeof value === 'object' && value !== null ? Reflect.get(value, 'constructor') : null;
  return typeof maker === 'function' ? maker.name : 'electron';
}

/** The base of the host's classes with events: a member that is not written throws when it is read. */
export class HostEmitter extends EventEmitter {}
Object.setPrototypeOf(HostEmitter.prototype, guarded(EventEmitter.prototype));

/** The base of the host's classes without events: a member that is not written throws when it is read. */
export class HostObject {}
Object.setPrototypeOf(HostObject.prototype, guarded(Object.prototype));

/** Gives a module object the same strictness: `shell.beep` works, `shell.unknown` throws by name. */
export function strictModule<T extends object>(name: string, members: T): T {
  return new Proxy(members, {
    get(target, key, receiver): unknown {
      if (key in target || isQuiet(key)) return Reflect.get(target, key, receiver);
      throw notOnHostError(`${name}.${String(key)}`);
    },
  });
}
