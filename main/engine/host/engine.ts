/**
 * Opening a data directory: ownership, the ledger, recovery. Recovery comes first: transfers that were under way when the last
 * owner ended have an unknown outcome until the service is asked.
 */
import { ledgerPath, makeDataDirectory } from '../core/dataDirectory.ts';
import { ok, type Result, SluiceFailure } from '../core/errors.ts';
import type { Clock, Log } from '../core/ports.ts';
import { openLedger, type Salvage } from '../store/ledger.ts';
import { closeOwnFiles, folderIsOpen } from '../core/privateFiles.ts';
import { writeMeta } from '../store/meta.ts';
import { type Ownership, takeOwnership } from '../store/ownership.ts';
import type { Store } from '../store/store.ts';
import { recoverSending } from '../store/tables/transfers.ts';

export interface Engine {
  readonly store: Store;
  /** What was saved from a damaged ledger at this start; null when it was intact. */
  readonly salvage: Salvage | null;
  /** Transfers with an unknown outcome at this start. */
  readonly unknownTransfers: number;
  /** True when other users of this computer can list the data directory; they cannot read its files in any case. */
  readonly folderIsOpen: boolean;
  close(): void;
}

/**
 * Takes ownership of a data directory and brings its ledger to a known state. Errors: store.owned, store.newer, disk.full,
 * disk.failed. A damaged ledger is set aside and its readable rows are kept. `who` names the owner to other programs.
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
    const now = ports.clock.now();
    const { store, salvage } = openLedger(ledgerPath(directory), now);
    opened = store;
    const recovered = store.transaction(() => {
      const count = recoverSending(store, { connectionId: null, lastByteAt: now }, now);
      writeMeta(store, 'cleanStop', '0');
      return count;
    });
    if (salvage !== null) ports.log.write('warn', 'ledger.salvaged', { ...salvage });
    if (recovered > 0) ports.log.write('info', 'ledger.recovered', { transfers: recovered });
    const held = ownership;
    return ok({
      store,
      salvage,
      unknownTransfers: recovered,
      folderIsOpen: folderIsOpen(directory),
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
    if (error instanceof SluiceFailure) return { ok: false, error: error.error };
    throw error;
  }
}
