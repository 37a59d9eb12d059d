/** One key for all services of a process: everything that is logged is searched for every key that the process has seen. */
export const API_KEY = `key-${crypto.randomUUID().replaceAll('-', '')}`;

/** A key that nothing in this process knows yet: for tests of what hides it. */
export function newKey(): string {
  return `key-${crypto.randomUUID()}`;
}
