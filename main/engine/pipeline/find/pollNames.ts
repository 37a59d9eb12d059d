/** Lists names where the system reports no changes. */
import { join } from 'node:path';
import { leaveOut } from './watchFilter.ts';
import type { ActiveWatch } from './checkFiles.ts';

/** Lists names only and marks new ones as touched: cheap on network drives, and enough between scans. */
export async function pollNames({ pipeline, config, state }: ActiveWatch): Promise<void> {
  const { files, clock } = pipeline.ports;
  const began = clock.monotonicMs();
  const names = new Map<string, ReadonlySet<string>>();
  const open = [config.directory];
  for (let directory = open.pop(); directory !== undefined; directory = open.pop()) {
    if (pipeline.signal.aborted) return;
    const listing = await files.list(directory);
    const before = state.names.get(directory);
    if (!listing.ok) {
      // This listing failed, so the next one is compared with the names from before.
      if (before !== undefined) names.set(directory, before);
      continue;
    }
    const here = new Set<string>();
    for (const { name, type } of listing.value) {
      const path = join(directory, name);
      if (leaveOut(config, path, type) !== null) continue;
      if (type === 'directory') open.push(path);
      here.add(name);
      // In a directory that we see for the first time, every name is new; the very first listing is only the baseline.
      const isNew = before === undefined ? state.names.size > 0 : !before.has(name);
      if (type !== 'directory' && isNew) state.touched.add(path);
    }
    names.set(directory, here);
  }
  state.names = names;
  state.lastPollAt = clock.monotonicMs();
  state.pollTookMs = state.lastPollAt - began;
}
