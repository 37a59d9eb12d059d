/**
 * Keyboard focus stays near its place when what had it disappears, such as the button of a row that it removed: it goes to the list or panel
 * around it, otherwise to the title of the view. An overlay that closes gives the focus back itself if it can; another view begins with its own.
 */

const OVERLAY = '[role=dialog], [role=alertdialog], [role=menu]';

/** Whether a dialog or a menu is open: it may get its focus, and so its keys, only with the next frame. */
export function isCovered(): boolean {
  return document.querySelector(OVERLAY) !== null;
}

/** Starts it; returns a function that ends it. */
export function keepFocus(): () => void {
  let last: Element | null = null;
  /** What had the focus last in the view, and what is around it, innermost first. */
  let places: readonly HTMLElement[] = [];
  let title: HTMLElement | null = null;

  function remember({ target }: FocusEvent): void {
    if (!(target instanceof HTMLElement)) return;
    last = target;
    const view = target.closest('main');
    if (view === null) return;
    title = view.querySelector('h1');
    const around: HTMLElement[] = [];
    for (let at: HTMLElement | null = target; at !== null && at !== view; at = at.parentElement) {
      if (at === target || at.hasAttribute('tabindex')) around.push(at);
    }
    places = around;
  }

  /** Something that is still here has lost the focus because a person clicked beside it. */
  function forget({ target, relatedTarget }: FocusEvent): void {
    if (relatedTarget !== null) return;
    queueMicrotask(() => {
      if (last === target && last?.isConnected === true) last = null;
    });
  }

  function restore(): void {
    if (last === null || last.isConnected || document.activeElement !== document.body) return;
    if (isCovered()) return;
    const isBack = places[0]?.isConnected === true && last.closest(OVERLAY) !== null;
    last = null;
    if (title?.isConnected !== true) return;
    const next = places.find((place) => place.isConnected) ?? title;
    const give = (): void => {
      if (document.activeElement === document.body) next.focus({ preventScroll: true });
    };
    // A dialog that was opened from the menu of a row knows only the entry of that menu, which is gone.
    if (isBack) requestAnimationFrame(give);
    else give();
  }

  const observer = new MutationObserver(restore);
  observer.observe(document.body, { childList: true, subtree: true });
  document.addEventListener('focusin', remember);
  document.addEventListener('focusout', forget);
  return () => {
    observer.disconnect();
    document.removeEventListener('focusin', remember);
    document.removeEventListener('focusout', forget);
  };
}
