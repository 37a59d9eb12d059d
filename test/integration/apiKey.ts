/** One key for all services of a process: everything that is logged is searched for every key that the process has seen. */
export const API_KEY = `key-${crypto.randomUUID().replaceAll('-', '')}`;
