/** The part of a path after the last separator of any system; a path without one is its own name. Pure. */
export function baseName(path: string): string {
  const trimmed = path.replace(/[/\\]+$/, '');
  return trimmed.slice(Math.max(trimmed.lastIndexOf('/'), trimmed.lastIndexOf('\\')) + 1) || path;
}

/** The directory of a path; '' for a path without one. Pure. */
export function directoryOf(path: string): string {
  return path.slice(0, path.length - baseName(path).length).replace(/[\\/]$/, '');
}

/** Letters of scripts that run from right to left: Hebrew, Arabic and their neighbours. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/**
 * The parts of a path that are drawn each for itself, separators included: two neighbouring names that run from right to left would
 * otherwise change places. One part for everything else. Pure.
 */
export function drawnParts(text: string): readonly string[] {
  return RIGHT_TO_LEFT.test(text) ? text.split(/([/\\])/).filter((part) => part !== '') : [text];
}
