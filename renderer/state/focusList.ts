/** After a view was opened by its key, the keys belong to its list. */

const LIST = 'main :is([role=grid], [role=treegrid], [role=tree], [data-source-row])';
/** A list that is not there by then has nothing in it, or the service is slow. */
const PATIENCE_MS = 3000;

/** Gives the focus to the list of the view as soon as it is drawn; to its title when it has none. Ends when the person goes elsewhere. */
export function focusList(): void {
  const before = document.activeElement;
  const end = (): void => {
    observer.disconnect();
    clearTimeout(timer);
  };
  const give = (): void => {
    const now = document.activeElement;
    if (now !== before && now !== document.body && now !== null) return end();
    const list = document.querySelector<HTMLElement>(LIST);
    if (list === null) return;
    list.focus({ preventScroll: true });
    end();
  };
  const observer = new MutationObserver(give);
  const timer = setTimeout(() => {
    end();
    if (document.activeElement === document.body) {
      document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
    }
  }, PATIENCE_MS);
  observer.observe(document.body, { childList: true, subtree: true });
  // The old view is still drawn now.
  requestAnimationFrame(() => requestAnimationFrame(give));
}
