/** Makes everything that the host does not have fail with its name, instead of being silently absent. */
import { EventEmitter } from 'node:events';

/** The error of a part of Electron that the Chromium host does not have. */
export function notOnHostError(name: string): Error {
  return new Error(`${name} is not on the Chromium host: implement it in build/chromiumHost.`);
}

/** A stand-in for an export of Electron that the host does not have: importing works, using it throws. */
export function notOnHost(name: string): unknown {
  // Not an arrow function: `new` must reach the trap too.
  function refuse(): never {
    throw notOnHostError(name);
  }
  return new Proxy(refuse, {
    get: (_target, key) => (isQuiet(key) ? undefined : refuse()),
    apply: refuse,
    construct: refuse,
  });
}

// Properties that consoles, promises and test tools read on any object; Node's own fields begin with an underscore.
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

/** The base of the host's classes with events: reading a member that is not implemented throws. */
export class HostEmitter extends EventEmitter {}
Object.setPrototypeOf(HostEmitter.prototype, guarded(EventEmitter.prototype));

/** The base of the host's classes without events: reading a member that is not implemented throws. */
export class HostObject {}
Object.setPrototypeOf(HostObject.prototype, guarded(Object.prototype));

/** Makes a module object equally strict: `shell.openPath` works, `shell.unknown` throws with its name. */
export function strictModule<T extends object>(name: string, members: T): T {
  return new Proxy(members, {
    get(target, key, receiver): unknown {
      if (key in target || isQuiet(key)) return Reflect.get(target, key, receiver);
      throw notOnHostError(`${name}.${String(key)}`);
    },
  });
}
