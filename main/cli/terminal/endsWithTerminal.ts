/**
 * Whether closing the terminal ends the program. Not without a terminal: that is how `nohup` starts a program, and Node undoes the rest of
 * what it did. On macOS, `nohup` leaves the input at the terminal. On Windows, nothing survives it. Pure.
 */
export function endsWithTerminal(
  platform: NodeJS.Platform,
  isTerminal: (stream: number) => boolean,
): boolean {
  const streams = platform === 'darwin' ? [1, 2] : [0, 1, 2];
  return platform === 'win32' || streams.some(isTerminal);
}
