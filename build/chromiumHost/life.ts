/** The application's life cycle: not ready, ready, quitting. */

const life = { ready: false, quitting: false };
let announce: () => void = () => undefined;
const becameReady = new Promise<void>((resolve) => {
  announce = resolve;
});

/** True once `ready` has been emitted. */
export function isReady(): boolean {
  return life.ready;
}

/** Resolves when the application is ready. */
export function whenReady(): Promise<void> {
  return becameReady;
}

/** Marks the application as ready. */
export function becomeReady(): void {
  life.ready = true;
  announce();
}

/** True from a quit that has not been prevented, until the end. */
export function isQuitting(): boolean {
  return life.quitting;
}

/** Records that a quit began or was prevented. */
export function setQuitting(quitting: boolean): void {
  life.quitting = quitting;
}
