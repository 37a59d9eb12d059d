import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

function named(path: string): { readonly name: unknown; readonly version: unknown } {
  const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
  const { name, version } = Object(content);
  return { name, version };
}

/** The version in Sluice's package.json, found above the sources or above a bundle; `unknown` when there is none. */
export function readVersion(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const path = join(folder, 'package.json');
    const found = existsSync(path) ? named(path) : null;
    if (found?.name === 'sluice') return String(found.version);
    if (folder === dirname(folder)) return 'unknown';
  }
}
