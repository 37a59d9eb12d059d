/** Where the application is in its life: not ready, ready, quitting. */

const life = { ready: false, quitting: false };
let announce: () => void = () => undefined;
const becameReady = new Promise<void>((resolve) => {
  announce = resolve;
});

/** True once `ready` was emitted. */
export function isReady(): boolean {
  return life.ready;
}

/** Resolves when the application is ready. */
export function whenReady(): Promise<void> {
  return becameReady;
}

/** Says that the application is ready. */
export function becomeReady(): void {
  life.ready = true;
  announce();
}

/** True from a quit that was not prevented so far until the end. */
export function isQuitting(): boolean {
  return life.quitting;
}

/** Remembers that a quit began or was prevented. */
export function setQuitting(quitting: boolean): void {
  life.quitting = quitting;
}
