/** The Files port without threads: reading blocks the caller. */
import type { Files } from '../../main/engine/core/ports.ts';
import { filesOver } from '../../main/engine/files/nodeFiles.ts';
import type { FileTasks } from '../../main/engine/files/pool/workerPool.ts';
import { createSilence } from '../../main/engine/files/silence.ts';
import { hashFile, inspectFile, statFile } from '../../main/engine/files/read/inspectFile.ts';
import { openSourceBody, sumBody } from '../../main/engine/files/read/sourceBody.ts';
import { writeWhole } from '../../main/engine/files/write/writeWhole.ts';

const TASKS: FileTasks = {
  stat: (paths) => Promise.resolve(paths.map(statFile)),
  inspect: (paths, kind = 'b3') => Promise.resolve(paths.map((path) => inspectFile(path, kind))),
  hash(path, kind) {
    const reading = hashFile(path, kind);
    let step = reading.next();
    while (!step.done) step = reading.next();
    return Promise.resolve(step.value);
  },
  openSources: openSourceBody,
  sumSources: sumBody,
  writeWhole,
  close: () => Promise.resolve(),
};

/** The real disk, read on the calling thread. */
export function createInlineFiles(): Files {
  return filesOver(TASKS, createSilence());
}
