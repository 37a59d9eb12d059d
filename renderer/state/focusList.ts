/** After a view was opened with its shortcut, or by a dialog that is done, keyboard focus goes to its list. */

/** Not the files within a problem: they are not all that the view lists. */
const LIST = 'main :is(.list-grid, [data-source-row])';
/** Without a list by then, the focus is at the title: it must not be lost, and a list that is drawn at once needs no detour. */
const TITLE_MS = 200;
/** A list that has not appeared by then, in a view that has, is empty, or the service is slow. */
const PATIENCE_MS = 3000;

/** Focuses the view's list as soon as it is drawn, and until then its title. Stops when the user moves elsewhere. */
export function focusList(): void {
  let before = document.activeElement;
  const end = (): void => {
    observer.disconnect();
    clearTimeout(timer);
  };
  const hasMoved = (): boolean => {
    const now = document.activeElement;
    return now !== before && now !== document.body && now !== null;
  };
  const give = (): void => {
    if (hasMoved()) return end();
    const list = document.querySelector<HTMLElement>(LIST);
    if (list === null) return;
    list.focus({ preventScroll: true });
    end();
  };
  const giveTitle = (): void => {
    if (hasMoved()) return end();
    const title = document.querySelector<HTMLElement>('main h1');
    title?.focus({ preventScroll: true });
    before = title ?? before;
    // On a busy computer the view itself may take this long to load.
    timer = title === null ? setTimeout(giveTitle, TITLE_MS) : setTimeout(end, PATIENCE_MS);
  };
  const observer = new MutationObserver(give);
  let timer = setTimeout(giveTitle, TITLE_MS);
  observer.observe(document.body, { childList: true, subtree: true });
  // At this point the old view is still drawn.
  requestAnimationFrame(() => requestAnimationFrame(give));
}
