/**
 * A list whose order changes between two pages, as that of several replicas may, shows some objects twice and leaves others out: it is as long
 * as the count, and yet not complete. Several readings together show every object.
 */
import type { RemoteFile } from '../../core/model.ts';

/** A signature, a token or an end makes the address of an object different each time it is listed. */
const SIGNED = /[?&](?:[\w-]*(?:signature|token|expires)|sig)=/i;

/** What identifies an object, as 53 bits. Objects of one name are distinguished by their address. */
function identityOf({ fileName, shardId, url }: RemoteFile): number {
  const query = url.indexOf('?');
  const object = query >= 0 && SIGNED.test(url.slice(query)) ? url.slice(0, query) : url;
  const text = `${fileName}\n${shardId ?? ''}\n${object}`;
  // Two simple hashes (FNV-1a, with two primes): each file of each list is counted, and SHA-256 would take ten times as long.
  let [high, low] = [0x811c9dc5, 0x811c9dc5];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x01000193);
    low = Math.imul(low ^ unit, 0x9e3779b1);
  }
  return (high >>> 0) * 2 ** 21 + (low >>> 11);
}

/** Counts the objects of one reading; `before`: what earlier readings that repeated objects showed. Remembers 8 bytes of each. */
export function createRepeats(before: readonly number[] = []) {
  const objects: number[] = [];
  return {
    add: (files: readonly RemoteFile[]): void => {
      for (const file of files) objects.push(identityOf(file));
    },
    /** The different objects of this reading and of those before it; null if this one repeated none, so that it stands for itself. */
    union: (): readonly number[] | null => {
      const sorted = Float64Array.from(objects).sort();
      const repeatsSome = sorted.some((one, at) => one === sorted[at - 1]);
      return repeatsSome ? [...new Set([...before, ...objects])] : null;
    },
  };
}

export type Repeats = ReturnType<typeof createRepeats>;
