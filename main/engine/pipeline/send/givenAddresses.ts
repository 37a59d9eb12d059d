/**
 * The signed addresses that the service gave in one run, to detect when it gives one twice: a second body at the same address would replace
 * the first, which may be confirmed by then.
 */
import type { SignedUpload } from '../../core/model.ts';
import type { Attempt } from './transferSettle.ts';

/** What an address is for: all addresses of a video lead to the same object, each shard has an object of its own. */
function purposeOf({ transfer, items }: Attempt): string {
  return transfer.kind === 'shard'
    ? `shard ${transfer.id}`
    : `${transfer.batchRow} ${items[0]?.name}`;
}

/** How many addresses are remembered: a service that gives an address twice does so soon. Our choice. */
const MOST = 2000;

/** Starts with no address; it is lost on restart. */
export function createGivenAddresses() {
  /** The purposes by address, the oldest first. */
  const purposes = new Map<string, string>();
  return {
    /** Remembers an address; false when the service gave it for something else before. */
    take: (attempt: Attempt, { url, headers }: Pick<SignedUpload, 'url' | 'headers'>): boolean => {
      const address = `${url} ${JSON.stringify(headers)}`;
      const purpose = purposeOf(attempt);
      const known = purposes.get(address) ?? purpose;
      purposes.set(address, known);
      const [oldest] = purposes.keys();
      if (purposes.size > MOST && oldest !== undefined) purposes.delete(oldest);
      return known === purpose;
    },
  };
}
