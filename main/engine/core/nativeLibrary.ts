/** Loads native libraries of napi-rs. */
import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/**
 * Loads the file of a library for this processor and glibc if it is installed, otherwise uses the library's own loader. The loader is
 * slower: to find out which C library the system has, it makes a report on the whole process, which takes 5 ms and looks up the host names
 * of the process's connections. Throws if the library is not installed.
 */
export function loadNative<Library>(name: string): Library {
  try {
    return load(`${name}-${process.platform}-${process.arch}-gnu`);
  } catch {
    return load(name);
  }
}
