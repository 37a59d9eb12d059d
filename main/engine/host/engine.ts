/**
 * The engine's face: a data directory taken and recovered, and lines started on it. Recovery is the first thing that
 * happens: whatever was on its way when the last owner ended is unknown until the service was asked.
 */
import type { Result } from '../../../preload/contract/errors.ts';
import { ledgerPath, makeDataDirectory } from '../core/dataDirectory.ts';
import { ok, SluiceFailure } from '../core/errors.ts';
import type { Clock, Log } from '../core/ports.ts';
import { openLedger, type Salvage } from '../store/ledger.ts';
import { closeOwnFiles, folderIsOpen } from '../core/privateFiles.ts';
import { writeMeta } from '../store/meta.ts';
import { type Ownership, takeOwnership } from '../store/ownership.ts';
import type { Store } from '../store/store.ts';
import { recoverSending } from '../store/tables/transfers.ts';

export interface Engine {
  readonly store: Store;
  /** What was saved of a damaged ledger at this start; null when it was whole. */
  readonly salvage: Salvage | null;
  /** Transfers that nobody knows the end of, at this start. */
  readonly recovered: number;
  /** True when other users of this computer may look into the data directory; its files are closed to them in any case. */
  readonly folderIsOpen: boolean;
  close(): void;
}

/**
 * Takes a data directory and brings its ledger to a known state. Errors: store.owned, store.newer, disk.full,
 * disk.failed. A damaged ledger is set aside and what can be read of it is kept.
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
      recovered,
      folderIsOpen: folderIsOpen(directory),
      close: () => {
        try {
          if (!store.damaged()) writeMeta(store, 'cleanStop', '1');
        } catch {
          // A disk that takes nothing more: the next start looks through the ledger, as after a crash.
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
