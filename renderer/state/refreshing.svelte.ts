/** Asking again every few seconds for what a view shows, while the window can be seen. */

const EVERY_MS = 5000;

/** Calls `refresh` every few seconds until the component that is being made now ends. */
export function refreshing(refresh: () => void, everyMs = EVERY_MS): void {
  $effect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) refresh();
    }, everyMs);
    return () => clearInterval(timer);
  });
}
