/** After a view was opened with its shortcut, or by a dialog that is done, keyboard focus goes to its list. */

const LIST = 'main :is([role=grid], [role=treegrid], [role=tree], [data-source-row])';
/** A list that has not appeared by then, in a view that has, is empty, or the service is slow. */
const PATIENCE_MS = 3000;

/** Focuses the view's list as soon as it is drawn, or its title if it has no list. Stops when the user moves elsewhere. */
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
  const giveUp = (): void => {
    const title = document.querySelector<HTMLElement>('main h1');
    if (title === null) {
      // On a busy computer the view itself may take this long to load.
      timer = setTimeout(giveUp, PATIENCE_MS);
      return;
    }
    end();
    if (document.activeElement === document.body) title.focus({ preventScroll: true });
  };
  let timer = setTimeout(giveUp, PATIENCE_MS);
  observer.observe(document.body, { childList: true, subtree: true });
  // At this point the old view is still drawn.
  requestAnimationFrame(() => requestAnimationFrame(give));
}
