const EVERY_MS = 5000;

/** Calls `refresh` every few seconds for the lifetime of the component being created. */
export function refreshing(refresh: () => void): void {
  $effect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) refresh();
    }, EVERY_MS);
    return () => clearInterval(timer);
  });
}
