/** How long a click at the same place is still taken for one at what was there before. */
const SAME_CLICK_MS = 1500;
/** A hand that rests on the mouse moves it by this many pixels. */
const STILL_PX = 4;

/** What counts of a click: `on` is the button; `detail` is 0 for a key. */
export interface Click<Button> {
  readonly on: Button | null;
  readonly x: number;
  readonly y: number;
  readonly at: number;
  readonly detail: number;
}

/**
 * Says whether a click is meant for the button that it is on. When a decision takes a row off the list, the next one moves under the
 * pointer: a second click there, of a double click or in doubt about the first, would decide about a file whose name was not read.
 */
export function meantClicks<Button>(): (click: Click<Button>) => boolean {
  let last: Click<Button> | null = null;
  return (click) => {
    if (click.detail > 1) return false;
    const before = last;
    if (click.detail === 0 || before === null || before.on === click.on) {
      last = click;
      return true;
    }
    const isStill = Math.hypot(click.x - before.x, click.y - before.y) <= STILL_PX;
    if (isStill && click.at - before.at < SAME_CLICK_MS) return false;
    last = click;
    return true;
  };
}
