/** The parts of this ledger's downloads, and abandoned parts of others in the same directories. */
import { join } from 'node:path';
import { isOthersPart, partPathOf } from '../../files/names/partPath.ts';
import { readMeta, writeMeta } from '../../store/meta.ts';
import type { Store } from '../../store/store.ts';
import type { Pipeline } from '../context.ts';

/** A part that was not written to for this long is abandoned: a running download writes every few seconds. Our choice. */
const FORGOTTEN_MS = 24 * 60 * 60 * 1000;
/** Length of a ledger's name in the names of its parts. */
const LEDGER_CHARACTERS = 10;

/** Kept in memory, because every file needs the name for its part. */
const names = new WeakMap<Store, string>();

/** The name of this ledger in the names of its parts: created once and kept in the ledger. */
function ledgerName({ store, ports }: Pick<Pipeline, 'store' | 'ports'>): string {
  const known = names.get(store) ?? readMeta(store, 'parts');
  const name = known ?? ports.random.token(LEDGER_CHARACTERS);
  if (known === null) store.transaction(() => writeMeta(store, 'parts', name));
  names.set(store, name);
  return name;
}

export function ownPartPath(ledger: Pick<Pipeline, 'store' | 'ports'>, path: string): string {
  return partPathOf(path, ledgerName(ledger));
}

/** Removes abandoned parts of other ledgers from directories of this download. A part that cannot be removed stays. */
export async function removeForgottenParts(
  pipeline: Pipeline,
  directories: Iterable<string>,
): Promise<void> {
  const { files, clock, log } = pipeline.ports;
  const ledger = ledgerName(pipeline);
  for (const directory of directories) {
    const listed = await files.list(directory);
    const parts = [...(listed.ok ? listed.value : [])]
      .filter(({ name, type }) => type === 'file' && isOthersPart(name, ledger))
      .map(({ name }) => join(directory, name));
    const facts = parts.length === 0 ? [] : await files.stat(parts);
    for (const [index, path] of parts.entries()) {
      const found = facts[index];
      if (found?.ok !== true) continue;
      if (clock.now() - found.value.touchedAt < FORGOTTEN_MS) continue;
      const removed = await files.remove(path);
      log.write('info', 'part.forgotten', { path, removed: removed.ok });
    }
  }
}
