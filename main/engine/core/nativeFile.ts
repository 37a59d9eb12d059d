/** Where native libraries of napi-rs have their files. */

/**
 * The package that holds a library's file for this processor and glibc, which may not be installed. To be loaded before the library's
 * own loader: to find out which C library there is, that makes a report on the whole process, which takes 5 ms and looks up the names
 * of its connections.
 */
export function nativeFile(library: string): string {
  return `${library}-${process.platform}-${process.arch}-gnu`;
}
