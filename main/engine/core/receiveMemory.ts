/**
 * Memory for what arrives over the network. Node allocates new memory for every read of a socket, which keeps the garbage collector
 * busy during a large download. Here, a reader that is done with a chunk may give its memory back for later reads.
 */

/** How much is read at once, in bytes: an encrypted record has at most 16 KiB; without encryption, Node's own choice. */
export const READ_BYTES = { plain: 64 * 1024, encrypted: 16 * 1024 } as const;
/** How much memory is kept for later reads, for each size of a read, in bytes. Our choice. */
const KEPT_BYTES = 4 * 1024 * 1024;

type Memory = Uint8Array<ArrayBuffer>;

const ours = new WeakMap<ArrayBufferLike, Memory>();
/** By size. The newest is used first: most likely, the processor still caches it. */
const free = new Map<number, Memory[]>();

function take(bytes: number): Memory {
  const known = free.get(bytes)?.pop();
  if (known !== undefined) return known;
  const memory = new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer);
  ours.set(memory.buffer, memory);
  return memory;
}

/** Lets later reads use the memory of a chunk: nothing may refer to the chunk any more. Other memory than that of `readInto` is ignored. */
export function giveBack(chunk: Uint8Array): void {
  const memory = ours.get(chunk.buffer);
  // The rest of the memory may belong to a chunk that is still in use.
  if (memory === undefined || memory.length !== chunk.length) return;
  const kept = free.get(memory.length) ?? [];
  free.set(memory.length, kept);
  const hasRoom = kept.length * memory.length < KEPT_BYTES;
  if (hasRoom && !kept.includes(memory)) kept.push(memory);
}

/**
 * The option `onread` of a socket that reads this much at once. A chunk with less than that is a copy: it would keep all of the
 * memory for itself.
 */
export function readInto(bytes: number, received: (chunk: Buffer) => void) {
  /** What the newest read did not fill; Node asks for the next memory right after each read. */
  let unfilled: Memory | null = null;
  return {
    buffer: (): Memory => {
      const memory = unfilled ?? take(bytes);
      unfilled = null;
      return memory;
    },
    callback(count: number, memory: Memory): boolean {
      const chunk = Buffer.from(memory.buffer, 0, count);
      if (count === memory.length) received(chunk);
      else {
        unfilled = memory;
        received(Buffer.from(chunk));
      }
      return true;
    },
  };
}
