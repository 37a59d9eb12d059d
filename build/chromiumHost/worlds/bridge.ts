/**
 * One end of the bridge between the page's world and the preload's world. The two share the document but no objects: messages are events
 * with an unguessable name, copied by Chromium's own structured clone (so that a File stays a File), and functions stay where they are
 * and are called by number. Sent into both worlds as source text, so it uses nothing from outside.
 */

/** Starts one end; `onOther` gets messages that are not about functions and promises. */
export function startBridge(
  token: string,
  from: string,
  to: string,
  onOther: (message: object) => void,
) {
  // Captured before the page runs, so that the page cannot replace them.
  const { apply, get, ownKeys } = Reflect;
  const { freeze, entries, fromEntries, getPrototypeOf } = Object;
  const { dispatchEvent, addEventListener } = EventTarget.prototype;
  const Courier = CustomEvent;
  const detailOf = Object.getOwnPropertyDescriptor(CustomEvent.prototype, 'detail')?.get;
  const ObjectPrototype = Object.prototype;
  const functions = new Map<number, (...args: unknown[]) => unknown>();
  const waiting = new Map<number, { done(value: unknown): void; failed(error: unknown): void }>();
  const returned = new Map<number, object>();
  let last = 0;

  const isPlain = (value: object): boolean => {
    const prototype: unknown = getPrototypeOf(value);
    return prototype === null || prototype === ObjectPrototype;
  };
  /** Makes a value ready to cross: functions, promises and errors become numbered tags. */
  const wrap = (value: unknown): unknown => {
    if (typeof value === 'function') {
      const id = ++last;
      functions.set(id, (...args) => apply(value, undefined, args));
      return { [token]: 'function', id };
    }
    if (typeof value === 'symbol') throw new Error('An object could not be cloned.');
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Promise) return wrapPromise(value);
    if (value instanceof Error) return { [token]: 'error', name: value.name, text: value.message };
    if (Array.isArray(value)) return value.map((entry) => wrap(entry));
    if (!isPlain(value)) return value;
    return fromEntries(entries(value).map(([key, entry]) => [key, wrap(entry)]));
  };
  const wrapPromise = (value: Promise<unknown>): unknown => {
    const id = ++last;
    value.then(
      (result) => send({ op: 'settle', id, ok: true, value: wrap(result) }),
      (error: unknown) => send({ op: 'settle', id, ok: false, value: wrap(error) }),
    );
    return { [token]: 'promise', id };
  };
  /** Rebuilds a value that crossed; `frozen` deep-freezes it. */
  const unwrap = (value: unknown, frozen: boolean): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const list = value.map((entry) => unwrap(entry, frozen));
      return frozen ? freeze(list) : list;
    }
    const tag: unknown = ownKeys(value).includes(token) ? get(value, token) : null;
    if (tag !== null) return untag(value, tag);
    if (!isPlain(value)) return value;
    const copy = fromEntries(entries(value).map(([key, entry]) => [key, unwrap(entry, frozen)]));
    return frozen ? freeze(copy) : copy;
  };
  const untag = (value: object, tag: unknown): unknown => {
    const id = Number(get(value, 'id'));
    if (tag === 'function') return freeze((...args: unknown[]) => call(id, args));
    if (tag === 'error') {
      const error = new Error(String(get(value, 'text')));
      return Object.assign(error, { name: String(get(value, 'name')) });
    }
    return new Promise((done, failed) => waiting.set(id, { done, failed }));
  };
  const call = (fn: number, args: readonly unknown[]): unknown => {
    const id = ++last;
    send({ op: 'call', id, fn, args: args.map((entry) => wrap(entry)) });
    const answer = returned.get(id);
    returned.delete(id);
    if (answer === undefined) throw new Error('The other side of the bridge is gone.');
    const value = unwrap(get(answer, 'value'), false);
    if (get(answer, 'ok') === true) return value;
    throw value;
  };
  const send = (message: Readonly<Record<string, unknown>>): void => {
    apply(dispatchEvent, document, [new Courier(token + to, { detail: message })]);
  };
  const answer = (message: object): void => {
    const id = get(message, 'id');
    const args: unknown = unwrap(get(message, 'args'), false);
    try {
      const fn = functions.get(Number(get(message, 'fn')));
      if (fn === undefined) throw new Error('No such function on the bridge.');
      const value = wrap(fn(...(Array.isArray(args) ? args : [])));
      send({ op: 'return', id, ok: true, value });
    } catch (error) {
      send({ op: 'return', id, ok: false, value: wrap(error) });
    }
  };
  const settle = (message: object): void => {
    const id = Number(get(message, 'id'));
    const promise = waiting.get(id);
    waiting.delete(id);
    const value = unwrap(get(message, 'value'), false);
    if (get(message, 'ok') === true) promise?.done(value);
    else promise?.failed(value);
  };
  const receive = (event: Event): void => {
    const message: unknown = detailOf === undefined ? null : apply(detailOf, event, []);
    if (typeof message !== 'object' || message === null) return;
    const op: unknown = get(message, 'op');
    if (op === 'call') answer(message);
    else if (op === 'return') returned.set(Number(get(message, 'id')), message);
    else if (op === 'settle') settle(message);
    else onOther(message);
  };
  apply(addEventListener, document, [token + from, receive]);
  return { wrap, unwrap, send };
}
