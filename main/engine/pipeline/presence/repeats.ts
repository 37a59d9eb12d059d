/**
 * A list whose order changes between two pages, as that of several replicas may, shows some objects twice and leaves others out: it is as long
 * as the count, and yet not complete. Several readings together show every object.
 */
import { hash } from 'node:crypto';
import type { RemoteFile } from '../../core/model.ts';

/** A signature makes the address of an object different each time it is listed. */
const SIGNED = /[?&](?:x-goog-signature|x-amz-signature|signature|sig)=/i;

/** The first 52 bits of a hash of what identifies an object. Objects of one name are distinguished by their address. */
function identityOf({ fileName, shardId, url }: RemoteFile): number {
  const query = url.indexOf('?');
  const object = query >= 0 && SIGNED.test(url.slice(query)) ? url.slice(0, query) : url;
  const text = `${fileName}\n${shardId ?? ''}\n${object}`;
  return Number.parseInt(hash('sha256', text).slice(0, 13), 16);
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
