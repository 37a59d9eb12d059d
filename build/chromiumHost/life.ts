/** The application's life cycle: not ready, ready, quitting. */

const life = { ready: false, quitting: false };
const becameReady = Promise.withResolvers<void>();

/** True once `ready` has been emitted. */
export function isReady(): boolean {
  return life.ready;
}

/** Resolves when the application is ready. */
export function whenReady(): Promise<void> {
  return becameReady.promise;
}

/** Marks the application as ready. */
export function becomeReady(): void {
  life.ready = true;
  becameReady.resolve();
}

/** True from a quit that has not been prevented, until the end. */
export function isQuitting(): boolean {
  return life.quitting;
}

/** Records that a quit began or was prevented. */
export function setQuitting(quitting: boolean): void {
  life.quitting = quitting;
}
