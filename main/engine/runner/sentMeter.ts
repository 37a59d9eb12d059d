/** How much of each running transfer has left. */

export interface SentMeter {
  /** Records how many bytes of a transfer's body were handed to the network in its current try. */
  note(transferId: number, bytes: number): void;
  /** 0 for an unknown transfer. */
  of(transferId: number): number;
}

/** More than ever run at the same time. */
const KEPT = 128;

/** Creates an empty meter; the oldest transfers are dropped. Pure state. */
export function createSentMeter(): SentMeter {
  const sent = new Map<number, number>();
  return {
    note: (id, bytes) => {
      const oldest = sent.keys().next().value;
      if (oldest !== undefined && sent.size >= KEPT && !sent.has(id)) sent.delete(oldest);
      sent.set(id, bytes);
    },
    of: (id) => sent.get(id) ?? 0,
  };
}
