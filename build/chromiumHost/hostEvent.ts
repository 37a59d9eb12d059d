/** The event objects that Electron passes to listeners. */

/** An event whose default can be prevented. */
export interface HostEvent {
  readonly defaultPrevented: boolean;
  preventDefault(): void;
}

/** Makes an event with `details` and a preventable default; `defaultPrevented` says what listeners decided. */
export function hostEvent<T extends object>(details: T): T & HostEvent {
  let prevented = false;
  const event = {
    get defaultPrevented(): boolean {
      return prevented;
    },
    preventDefault(): void {
      prevented = true;
    },
  };
  return Object.assign(event, details);
}
