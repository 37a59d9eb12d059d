/**
 * Inspects files so that content which an older ledger knows by its SHA-256 is recognised, and so that files on a drive that is not
 * connected are told from deleted ones.
 */
import type { Result } from '../../core/errors.ts';
import type { Inspection } from '../../core/model.ts';
import { knownContent } from '../../store/tables/items.ts';
import { olderSizes } from '../../store/tables/olderContent.ts';
import type { Pipeline } from '../context.ts';
import { type LookedAt, orUnplugged } from '../drives.ts';

/**
 * Inspects files, in their order. A file that has the size of content known by SHA-256 is read again for its SHA-256; if the ledger knows
 * that hash, it identifies the file. A file on a drive that is not connected fails with disk.missing.
 */
export async function inspectFiles(
  pipeline: Pipeline,
  files: readonly LookedAt[],
): Promise<readonly Result<Inspection>[]> {
  const { store, ports } = pipeline;
  const paths = files.map(({ path }) => path);
  const results = await orUnplugged(pipeline, files, await ports.files.inspect(paths));
  const sizes = results.flatMap((result) => (result.ok ? [result.value.sizeBytes] : []));
  const older = olderSizes(store, sizes);
  if (older.size === 0) return results;
  const again = paths.filter((_, index) => {
    const result = results[index];
    return result?.ok === true && older.has(result.value.sizeBytes);
  });
  const asOlder = await ports.files.inspect(again, 'sha256');
  const known = knownContent(
    store,
    asOlder.flatMap((result) => (result.ok ? [result.value.fingerprint] : [])),
  );
  const byPath = new Map(again.map((path, index) => [path, asOlder[index]]));
  return results.map((result, index) => {
    const other = byPath.get(paths[index] ?? '');
    // A failure of the second reading counts: the file may have changed in between.
    if (other === undefined) return result;
    return !other.ok || known.has(other.value.fingerprint) ? other : result;
  });
}
