/** The Files port without threads: reading blocks the caller. */
import type { SourceMember } from '../../main/engine/core/model.ts';
import type { Files, SourceStream } from '../../main/engine/core/ports.ts';
import { filesOver } from '../../main/engine/files/nodeFiles.ts';
import type { FileTasks } from '../../main/engine/files/pool/fileTasks.ts';
import { hashFile, inspectFile, lookAt } from '../../main/engine/files/read/inspectFile.ts';
import { readSources } from '../../main/engine/files/read/sourceReader.ts';
import { streamOfSteps } from '../../main/engine/files/read/sourceStream.ts';

const TASKS: FileTasks = {
  look: (paths) => Promise.resolve(paths.map(lookAt)),
  inspect: (paths, kind) => Promise.resolve(paths.map((path) => inspectFile(path, kind))),
  hash(path, kind) {
    const reading = hashFile(path, kind);
    let step = reading.next();
    while (!step.done) step = reading.next();
    return Promise.resolve(step.value);
  },
  openSources: inlineStream,
  close: () => Promise.resolve(),
};

/** Reads chunk by chunk as it is asked for. */
function inlineStream(
  members: readonly SourceMember[],
  trailer: Uint8Array,
  signal: AbortSignal,
): SourceStream {
  return streamOfSteps(members, signal, () => {
    const steps = readSources(members, trailer);
    return {
      next() {
        const step = steps.next();
        if (step.done) throw new Error('a source stream was read beyond its end');
        return Promise.resolve(step.value);
      },
      stop: () => void steps.return(),
    };
  });
}

/** The real disk, read on the calling thread. */
export function createInlineFiles(): Files {
  return filesOver(TASKS);
}
