/** Empty directories for tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Makes a directory that is removed after the test. */
export function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-unit-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
