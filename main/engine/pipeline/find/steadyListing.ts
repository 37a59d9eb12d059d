/** Listing directories for a command that ends: a passing failure is waited out, and reported when it lasts. */
import { fail, type Result } from '../../core/errors.ts';
import { FILE_BUSY_TRIES } from '../../core/limits.ts';
import type { DirectoryEntry } from '../../core/model.ts';
import type { Clock, Files } from '../../core/ports.ts';
import { shortageOf } from '../../core/errno.ts';
import { busyPauseMs } from './busyPlaces.ts';

/** The files with a list() that tries again after file.busy, and answers directory.unreadable when that lasts. */
export function withSteadyListing(files: Files, clock: Clock, signal: AbortSignal): Files {
  const list = async (directory: string): Promise<Result<readonly DirectoryEntry[]>> => {
    for (let tries = 1; ; tries += 1) {
      const listing = await files.list(directory);
      if (listing.ok || listing.error.code !== 'file.busy') return listing;
      // A shortage of open files says nothing about the directory: it is waited out, and the person is notified.
      const isShort = shortageOf(listing.error) !== null;
      if ((tries >= FILE_BUSY_TRIES && !isShort) || signal.aborted) {
        return fail('directory.unreadable', { ...listing.error.context, tries });
      }
      await clock.sleep(busyPauseMs(tries), signal);
    }
  };
  return { ...files, list };
}
