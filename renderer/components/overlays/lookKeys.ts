/** The keys of a quick look: Space closes it, the arrows go to its neighbours. Escape is the dialog's own. */

/** Takes a pressed key; nothing happens for any other, and none is taken from a video or a text that is scrolled. */
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
