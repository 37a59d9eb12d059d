/** What the service of a connection said it does not offer for its jobs; asked again after the next start. */
import { snapshot } from './snapshot.svelte.ts';

/** What can be done with a job that the service has. */
export type JobControl = 'abort' | 'restart';

let missing = $state.raw<ReadonlySet<string>>(new Set());

function key(control: JobControl): string {
  return `${snapshot().connections.find(({ selected }) => selected)?.id ?? 0} ${control}`;
}

/** False once the service of the chosen connection has said that it does not offer this. */
export function isOffered(control: JobControl): boolean {
  return !missing.has(key(control));
}

/** Remembers that the service of the chosen connection does not offer this. */
export function noteMissing(control: JobControl): void {
  missing = new Set([...missing, key(control)]);
}
