/** Which job controls the service of a connection does not offer; asked again after a restart of the window. */
import { connectionInUse } from './snapshot.svelte.ts';

export type JobControl = 'abort' | 'restart';

let missing = $state.raw<ReadonlySet<string>>(new Set());

function key(control: JobControl): string {
  return `${connectionInUse()?.id ?? 0} ${control}`;
}

/** False once the service of the selected connection has said that it does not offer this. */
export function isOffered(control: JobControl): boolean {
  return !missing.has(key(control));
}

export function noteMissing(control: JobControl): void {
  missing = new Set([...missing, key(control)]);
}
