/** The time, updated once a second, for relative dates and countdowns. */

let current = $state(Date.now());

/** Now, in epoch ms; whatever reads it is redrawn each second. */
export function now(): number {
  return current;
}

/** Starts ticking; returns a function that stops it. */
export function followTime(): () => void {
  const timer = setInterval(() => {
    if (!document.hidden) current = Date.now();
  }, 1000);
  return () => clearInterval(timer);
}
