/**
 * Opens a data directory: takes ownership and opens the ledger. Unfinished work of an earlier owner is recovered when each connection
 * starts.
 */
import { ledgerPath, makeDataDirectory } from '../core/dataDirectory.ts';
import { diskFailure } from '../core/errno.ts';
import { caught, ok, type Result } from '../core/errors.ts';
import type { Clock, Log } from '../core/ports.ts';
import { openLedger, type Salvage } from '../store/ledger.ts';
import { closeOwnFiles, isOpen } from '../core/privateFiles.ts';
import { writeMeta } from '../store/meta.ts';
import { type Ownership, takeOwnership } from '../store/ownership.ts';
import type { Store } from '../store/store.ts';

export interface Engine {
  readonly store: Store;
  /** What was saved from a damaged ledger at this start; null when it was intact. */
  readonly salvage: Salvage | null;
  /** True when other users of this computer can list the data directory; they cannot read its files in any case. */
  readonly folderIsOpen: boolean;
  close(): void;
}

/**
 * Takes ownership of a data directory and opens its ledger. Errors: store.owned, store.newer, disk.full,
 * disk.failed. A damaged ledger is set aside and its readable rows are kept. `who` identifies the owner to other programs.
 */
export function openEngine(
  directory: string,
  who: string,
  ports: { readonly clock: Clock; readonly log: Log },
): Result<Engine> {
  let ownership: Ownership | null = null;
  let opened: Store | null = null;
  try {
    makeDataDirectory(directory);
    const taken = takeOwnership(directory, who);
    if (!taken.ok) return taken;
    ownership = taken.value;
    closeOwnFiles(directory);
    const { store, salvage } = openLedger(ledgerPath(directory), ports.clock.now());
    opened = store;
    writeMeta(store, 'cleanStop', '0');
    if (salvage !== null) ports.log.write('warn', 'ledger.salvaged', { ...salvage });
    const held = ownership;
    return ok({
      store,
      salvage,
      folderIsOpen: isOpen(directory),
      close: () => {
        try {
          if (!store.damaged()) writeMeta(store, 'cleanStop', '1');
        } catch {
          // The disk is full: the next start checks the ledger, as after a crash.
        }
        store.close();
        held.release();
      },
    });
  } catch (error) {
    opened?.close();
    ownership?.release();
    return caught(diskFailure(error, directory));
  }
}
