/**
 * Memory for bytes in transit, reused: fresh memory costs the system as much as reading into it, and is freed late. A body uses
 * its buffers in turn, and returns them when none of its bytes can leave any more.
 */

/** Minimum buffer size. Sizes are powers of two, so that few kinds of buffers are kept. */
const LEAST_BYTES = 64 * 1024;
/** Memory that a thread keeps for later bodies, in bytes: as much as 16 videos need that are sent at the same time. */
const KEPT_BYTES = 24 * 1024 * 1024;
/** Buffers of one body: one is filled while the previous one is being sent; the rest of a third may still be in the socket. */
const TURN = 3;

/** The buffers kept for reuse, oldest first. */
const kept: Buffer[] = [];
let keptBytes = 0;

function take(bytes: number): Buffer {
  const at = kept.findLastIndex(({ length }) => length === bytes);
  const [known] = at < 0 ? [] : kept.splice(at, 1);
  if (known === undefined) return Buffer.allocUnsafeSlow(bytes);
  keptBytes -= bytes;
  return known;
}

/** Drops the buffers that were unused for longest to make room: by now, bodies of another kind are sent. */
function keep(memory: Buffer): void {
  kept.push(memory);
  keptBytes += memory.length;
  while (keptBytes > KEPT_BYTES) keptBytes -= kept.shift()?.length ?? keptBytes;
}

/** The buffer size for this many bytes. Pure. */
function memoryBytes(bytes: number): number {
  let size = LEAST_BYTES;
  while (size < bytes) size *= 2;
  return size;
}

/** Starts the buffers of a body; none is allocated yet. */
export function createMemories() {
  const taken: Buffer[] = [];
  return {
    /** Returns buffers of at least this size in turn: the fourth one is the first one again. */
    turn(bytes: number): () => Buffer {
      const size = memoryBytes(bytes);
      const own: Buffer[] = [];
      let next = 0;
      return () => {
        const at = next;
        next = (next + 1) % TURN;
        const known = own[at];
        if (known !== undefined) return known;
        const memory = take(size);
        own[at] = memory;
        taken.push(memory);
        return memory;
      };
    },
    /** Lets other bodies use the buffers. If a body never releases them, they are garbage-collected like any other memory. */
    release() {
      for (const memory of taken.splice(0)) keep(memory);
    },
  };
}

export type Memories = ReturnType<typeof createMemories>;
