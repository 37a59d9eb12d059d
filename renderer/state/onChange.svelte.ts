import { untrack } from 'svelte';

/** Calls `run` each time the value changes, not for its first value. Call while a component is being created. */
export function onChange(value: () => unknown, run: () => void): void {
  let seen = untrack(value);
  $effect(() => {
    const next = value();
    if (next !== seen) untrack(run);
    seen = next;
  });
}
