/** Work that never ends by itself, watched for the one that fails. */

/** Rejects when any of the works does; never resolves. */
export function firstFailure(works: readonly Promise<unknown>[]): Promise<never> {
  const broken = Promise.race(
    works.map((work) => work.then(() => new Promise<never>(() => undefined))),
  );
  broken.catch(() => undefined);
  return broken;
}
