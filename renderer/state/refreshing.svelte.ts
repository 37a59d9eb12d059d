const EVERY_MS = 5000;

/** Calls `refresh` every few seconds for the lifetime of the component being created. */
export function refreshing(refresh: () => void, everyMs = EVERY_MS): void {
  $effect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) refresh();
    }, everyMs);
    return () => clearInterval(timer);
  });
}
