/**
 * Memory for bytes on their way, used again and again: fresh memory costs the system as much as reading into it, and is given
 * back late. A body takes its memories in turn, and gives them back when nothing of it can leave any more.
 */

/** Memories have sizes of powers of two, so that few kinds of them are kept. */
const LEAST_BYTES = 64 * 1024;
/** Memory that a thread keeps for the next body, bytes. */
const KEPT_BYTES = 8 * 1024 * 1024;
/** Memories of one turn: one is filled while the one before leaves; what is left of a third may still wait in the socket. */
const TURN = 3;

/** What is kept, oldest first. */
const kept: Buffer[] = [];
let keptBytes = 0;

/** The memories of one body. */
export interface Memories {
  /** Memories of at least this size, one after the other: the fourth is the first again. */
  turn(bytes: number): () => Buffer;
  /** Everything may be used by others. A body that is never given back is collected like any other memory. */
  release(): void;
}

function take(bytes: number): Buffer {
  const at = kept.findLastIndex(({ length }) => length === bytes);
  const [known] = at < 0 ? [] : kept.splice(at, 1);
  if (known === undefined) return Buffer.allocUnsafeSlow(bytes);
  keptBytes -= bytes;
  return known;
}

/** What was not used for longest makes room: bodies of another kind are sent by now. */
function keep(memory: Buffer): void {
  kept.push(memory);
  keptBytes += memory.length;
  while (keptBytes > KEPT_BYTES) keptBytes -= kept.shift()?.length ?? keptBytes;
}

/** The size of a memory for so many bytes. Pure. */
function memoryBytes(bytes: number): number {
  let size = LEAST_BYTES;
  while (size < bytes) size *= 2;
  return size;
}

/** Begins the memories of a body; none is taken yet. */
export function createMemories(): Memories {
  const taken: Buffer[] = [];
  return {
    turn(bytes) {
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
    release() {
      for (const memory of taken.splice(0)) keep(memory);
    },
  };
}
