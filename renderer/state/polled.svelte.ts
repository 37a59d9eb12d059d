/** An answer that is asked for again while it is looked at. */
import { untrack } from 'svelte';
import type { Result, SluiceError } from '../../preload/contract/errors.ts';

export interface Polled<T> {
  /** The newest answer; an older one stays while a newer cannot be had. null before the first. */
  readonly value: T | null;
  /** Why the last question failed; null when it did not. */
  readonly error: SluiceError | null;
  /** True until the first answer or error. */
  readonly loading: boolean;
  /** Asks now. */
  refresh(): void;
}

/**
 * Asks at once and then every so often, never two questions at a time and none while the window is hidden. Must be
 * called while a component is made; ends with it. `everyMs` answers null when nothing can change any more. `before`: an answer from an
 * earlier time, shown until the first.
 */
export function polled<T>(
  ask: () => Promise<Result<T>>,
  everyMs: (value: T | null) => number | null,
  before: T | null = null,
): Polled<T> {
  let value = $state.raw<T | null>(untrack(() => before));
  let error = $state.raw<SluiceError | null>(null);
  let loading = $state(true);
  let timer: ReturnType<typeof setTimeout> | null = null;
  let asking = false;
  let again = false;
  let ended = false;

  function later(): void {
    const pause = everyMs(value);
    if (ended || pause === null) return;
    timer = setTimeout(() => {
      if (document.hidden) later();
      else void load();
    }, pause);
  }

  async function load(): Promise<void> {
    if (asking) {
      again = true;
      return;
    }
    if (timer !== null) clearTimeout(timer);
    asking = true;
    const answer = await ask();
    asking = false;
    if (ended) return;
    loading = false;
    error = answer.ok ? null : answer.error;
    if (answer.ok) value = answer.value;
    if (again) {
      again = false;
      void load();
    } else later();
  }

  $effect(() => {
    untrack(() => void load());
    return () => {
      ended = true;
      if (timer !== null) clearTimeout(timer);
    };
  });

  return {
    get value() {
      return value;
    },
    get error() {
      return error;
    },
    get loading() {
      return loading;
    },
    refresh: () => void load(),
  };
}
