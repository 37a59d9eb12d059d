/** The keys of Quick Look: Space closes it, the arrows go to its neighbours. The dialog itself handles Escape. */

/** Handles a pressed key. Ignores other keys, and never takes one from a video or from text that is scrolled. */
export function lookKeys(
  event: KeyboardEvent,
  step: (by: -1 | 1) => void,
  close: () => void,
): void {
  const { target, key } = event;
  if (target instanceof HTMLVideoElement) return;
  const isScrolled = target instanceof HTMLElement && target.tagName === 'PRE';
  if (key === ' ') close();
  else if (key === 'ArrowRight' || (key === 'ArrowDown' && !isScrolled)) step(1);
  else if (key === 'ArrowLeft' || (key === 'ArrowUp' && !isScrolled)) step(-1);
  else return;
  event.preventDefault();
  event.stopPropagation();
}
