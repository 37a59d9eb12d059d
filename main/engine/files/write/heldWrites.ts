/**
 * Writes that we stop waiting for when their drive does not answer. They may continue when it answers again: until they have ended, nothing
 * else is written to the same path.
 */
import { drop, fail, ok, type Result, SluiceFailure } from '../../core/errors.ts';
import type { PartFile } from '../../core/ports.ts';
import { type Silence, unlessSilent } from '../silence.ts';

export function createHeldWrites(silence: Silence) {
  const held = new Map<string, Promise<unknown>>();
  const hold = (path: string, work: Promise<unknown>): void => {
    const ended = Promise.allSettled([held.get(path), work]);
    held.set(path, ended);
    drop(
      ended.then(() => {
        if (held.get(path) === ended) held.delete(path);
      }),
    );
  };

  /** Does a write. `late` gets the result if nothing waits for it any more. Errors: those of the work, disk.missing, file.busy. */
  const write = <T>(
    path: string,
    work: () => Promise<Result<T>>,
    late: (result: Result<T>) => unknown = () => undefined,
  ): Promise<Result<T>> => {
    if (held.has(path)) return Promise.resolve(fail('file.busy', { path }));
    let begun: Promise<Result<T>> | null = null;
    const begin = (): Promise<Result<T>> => (begun = work());
    return unlessSilent(silence, path, begin, (error) => {
      if (begun !== null) hold(path, begun.then(late));
      return { ok: false, error };
    });
  };

  const guarded = (part: string, file: PartFile): PartFile => ({
    offsetBytes: file.offsetBytes,
    kept: async function* () {
      const blocks = file.kept()[Symbol.asyncIterator]();
      for (;;) {
        const next = await write(part, async () => ok(await blocks.next()));
        if (!next.ok) throw new SluiceFailure(next.error);
        if (next.value.done === true) return;
        yield next.value.value;
      }
    },
    write: (chunk) => write(part, () => file.write(chunk)),
    truncate: () => write(part, () => file.truncate()),
    commit: (options) => write(part, () => file.commit(options)),
    close: () => {
      const before = held.get(part);
      // The file is open, so it is closed even on a drive that does not answer.
      const closing = before === undefined ? file.close() : before.then(() => file.close());
      const wait = (): void => hold(part, closing);
      return before === undefined
        ? unlessSilent(silence, part, () => closing, wait)
        : Promise.resolve(wait());
    },
  });

  return {
    write,
    openPart: async (
      part: string,
      open: () => Promise<Result<PartFile>>,
    ): Promise<Result<PartFile>> => {
      const opened = await write(part, open, (late) => (late.ok ? late.value.close() : undefined));
      return opened.ok ? ok(guarded(part, opened.value)) : opened;
    },
  };
}
