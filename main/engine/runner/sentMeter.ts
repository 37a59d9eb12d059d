/** How much of each running transfer has left. */

/** More than ever run at the same time. */
const KEPT = 128;

/** Creates an empty meter; the oldest transfers are dropped. Pure state. */
export function createSentMeter() {
  const sent = new Map<number, number>();
  return {
    /** Records how many bytes of a transfer's body were handed to the network in its current try. */
    note: (id: number, bytes: number) => {
      const oldest = sent.keys().next().value;
      if (oldest !== undefined && sent.size >= KEPT && !sent.has(id)) sent.delete(oldest);
      sent.set(id, bytes);
    },
    /** 0 for an unknown transfer. */
    of: (id: number) => sent.get(id) ?? 0,
  };
}

export type SentMeter = ReturnType<typeof createSentMeter>;
