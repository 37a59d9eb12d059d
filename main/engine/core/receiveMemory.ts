/**
 * Memory for what arrives over the network. Node allocates it anew for every read of a socket, which keeps the garbage collector busy
 * during a large download. Here whoever has used what a read filled may give the memory back for later reads.
 */

/** How much is read at once, in bytes: an encrypted record has at most 16 KiB; without encryption, Node's own choice. */
export const READ_BYTES = { plain: 64 * 1024, encrypted: 16 * 1024 } as const;
/** How much is kept for later reads, of each size in bytes: more than waits to be written at any time. Our choice. */
const KEPT_BYTES = 4 * 1024 * 1024;

type Memory = Uint8Array<ArrayBuffer>;

const ours = new WeakMap<ArrayBufferLike, Memory>();
/** By size; the newest is used first, because the processor still has it at hand. */
const free = new Map<number, Memory[]>();

function take(bytes: number): Memory {
  const known = free.get(bytes)?.pop();
  if (known !== undefined) return known;
  const memory = new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer);
  ours.set(memory.buffer, memory);
  return memory;
}

/** Lets the memory of a chunk be used again: nothing may refer to the chunk any more. Does nothing if it is not known from `readInto`. */
export function giveBack(chunk: Uint8Array): void {
  const memory = ours.get(chunk.buffer);
  // The rest of the memory may belong to a chunk that is still in use.
  if (memory === undefined || memory.length !== chunk.length) return;
  const kept = free.get(memory.length) ?? [];
  free.set(memory.length, kept);
  const hasRoom = kept.length * memory.length < KEPT_BYTES;
  if (hasRoom && !kept.includes(memory)) kept.push(memory);
}

/** The option `onread` of a socket that reads this much at once. */
export function readInto(bytes: number) {
  /** What the newest read did not fill; Node asks for the next memory right after each read. */
  let unfilled: Memory | null = null;
  return {
    buffer: (): Memory => {
      const memory = unfilled ?? take(bytes);
      unfilled = null;
      return memory;
    },
    callback(this: { push(chunk: Buffer): boolean }, count: number, memory: Memory): boolean {
      const chunk = Buffer.from(memory.buffer, 0, count);
      if (count === memory.length) return this.push(chunk);
      // A short chunk is copied: it would keep all of the memory for itself.
      unfilled = memory;
      return this.push(Buffer.from(chunk));
    },
  };
}
