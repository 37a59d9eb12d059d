/** The time, once a second, for relative dates and counts down. */

let current = $state(Date.now());

/** Now, in epoch ms; what reads it is drawn again each second. */
export function now(): number {
  return current;
}

/** Begins to tick; answers a function that ends it. */
export function followTime(): () => void {
  const timer = setInterval(() => {
    if (!document.hidden) current = Date.now();
  }, 1000);
  return () => clearInterval(timer);
}
