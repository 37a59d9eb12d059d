/** An answer that is requested again and again while it is viewed. */
import { untrack } from 'svelte';
import type { Result, SluiceError } from '../../preload/contract/errors.ts';

/** After an error, even what is requested only once is requested again: it may be the network's. */
const AGAIN_MS = 15_000;

export type Polled<T> = ReturnType<typeof polled<T>>;

/**
 * Requests at once and then at intervals, one at a time, and never while the window is hidden. Must be called while a component is being
 * created; ends with it. `everyMs` is null when nothing can change after an answer. `before`: an answer from an earlier time, shown until
 * the first.
 */
export function polled<T>(
  ask: () => Promise<Result<T>>,
  everyMs: number | null | ((value: T | null) => number | null) = null,
  before: T | null = null,
) {
  let value = $state.raw<T | null>(untrack(() => before));
  let error = $state.raw<SluiceError | null>(null);
  let loading = $state(true);
  let timer: ReturnType<typeof setTimeout> | null = null;
  let asking = false;
  let again = false;
  let ended = false;

  function later(): void {
    const pause = typeof everyMs === 'function' ? everyMs(value) : everyMs;
    if (ended || (pause === null && error === null)) return;
    timer = setTimeout(() => {
      if (document.hidden) later();
      else void load();
    }, pause ?? AGAIN_MS);
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
    /** The newest answer; an older one stays while a newer one is unavailable. null before the first. */
    get value() {
      return value;
    },
    /** Why the last request failed; null when it succeeded. */
    get error() {
      return error;
    },
    /** True until the first answer or error. */
    get loading() {
      return loading;
    },
    refresh: (): void => void load(),
  };
}
