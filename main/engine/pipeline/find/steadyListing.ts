/** Directory listing for a one-time command: temporary failures are waited out, and reported if they last. */
import { fail, type Result, type SluiceError } from '../../core/errors.ts';
import { FILE_BUSY_TRIES } from '../../core/limits.ts';
import type { DirectoryEntry } from '../../core/model.ts';
import type { Clock, Files } from '../../core/ports.ts';
import { shortageOf } from '../../core/errno.ts';
import { busyPauseMs } from './busyPlaces.ts';

/**
 * The files port with a list() that retries after file.busy. It fails with directory.unreadable if that lasts, or if the directory's drive
 * is away.
 */
export function withSteadyListing(
  files: Files,
  clock: Clock,
  signal: AbortSignal,
  missingDrive: (directory: string) => Promise<SluiceError | null>,
): Files {
  const list = async (directory: string): Promise<Result<readonly DirectoryEntry[]>> => {
    for (let tries = 1; ; tries += 1) {
      const listing = await files.list(directory);
      if (listing.ok || listing.error.code !== 'file.busy') return listing;
      const away = await missingDrive(directory);
      if (away !== null) return fail('directory.unreadable', away.context);
      // A shortage of open files says nothing about the directory: wait for it to end, however long it takes.
      const isShort = shortageOf(listing.error) !== null;
      if ((tries >= FILE_BUSY_TRIES && !isShort) || signal.aborted) {
        return fail('directory.unreadable', { ...listing.error.context, tries });
      }
      await clock.sleep(busyPauseMs(tries), signal);
    }
  };
  return { ...files, list };
}
