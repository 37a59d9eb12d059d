/** The Files port's work on file content, independent of where it runs: in worker threads or in process. */
import type { Result } from '../../core/errors.ts';
import type { FileFacts, HashKind, Inspection } from '../../core/model.ts';
import type { Files } from '../../core/ports.ts';

/** Work that reads or writes file content or needs many facts. Results keep the order of the paths. */
export interface FileTasks extends Pick<
  Files,
  'openSources' | 'sumSources' | 'writeWhole' | 'close'
> {
  stat(paths: readonly string[]): Promise<readonly Result<FileFacts>[]>;
  inspect(paths: readonly string[], kind: HashKind): Promise<readonly Result<Inspection>[]>;
  hash(path: string, kind: HashKind): Promise<Result<string>>;
}
