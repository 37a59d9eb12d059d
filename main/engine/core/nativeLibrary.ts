/** Loads native libraries of napi-rs. */
import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/**
 * Loads the file of a library for this processor and glibc where that is installed, otherwise through the library's own loader: to find
 * out which C library there is, that makes a report on the whole process, which takes 5 ms and looks up the names of its connections.
 * Throws where the library is not installed.
 */
export function loadNative<Library>(name: string): Library {
  try {
    return load(`${name}-${process.platform}-${process.arch}-gnu`);
  } catch {
    return load(name);
  }
}
