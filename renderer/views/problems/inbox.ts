/** What can be done about a problem that is not a file, and the patterns that leave out similar files. Pure. */
import type { WaitView } from '../../../preload/contract/waits.ts';
import type { ViewName } from '../../state/route.ts';

export interface WayOut {
  readonly label: string;
  readonly view: ViewName;
  readonly id: string | null;
  readonly params?: Readonly<Record<string, string>>;
}

/** The place where something that waits can be viewed; null when it concerns everything. */
export function wayOut({
  kind,
  name,
  code,
}: Pick<WaitView, 'kind' | 'name' | 'code'>): WayOut | null {
  if (code === 'watch.missing' || ['watch', 'watchPaused', 'moving'].includes(kind)) {
    return { label: 'Show watched folders', view: 'uploads', id: null };
  }
  if (code === 'auth.rejected') {
    return { label: 'Show workspaces', view: 'settings', id: 'connections' };
  }
  if (name === null) return null;
  if (['job', 'starting', 'notStarted', 'following'].includes(kind)) {
    return { label: 'Show job', view: 'jobs', id: name };
  }
  if (kind === 'results') {
    return { label: 'Show results', view: 'jobs', id: name, params: { tab: 'results' } };
  }
  const job = /^(.+)-(?:processing|export)$/.exec(name)?.[1] ?? null;
  const isDownload = kind === 'download' || kind === 'outputs' || kind === 'givenUp';
  return isDownload && job !== null
    ? { label: 'Show results', view: 'jobs', id: job, params: { tab: 'results' } }
    : { label: 'Show batch', view: 'batches', id: name };
}

export interface LeaveOutChoice {
  readonly pattern: string;
  readonly label: string;
}

/** The longest pattern that a rule accepts. */
const MAX_PATTERN = 500;

/** A name as a pattern that matches only that name. */
function exactly(name: string): string {
  return name.replace(/[\\*?[\]{}()!+@|]/g, (sign) => `\\${sign}`);
}

/** Patterns that leave out a file and similar ones, narrowest first. */
export function leaveOutChoices(relativePath: string): readonly LeaveOutChoice[] {
  const path = relativePath.replaceAll('\\', '/');
  const cut = path.lastIndexOf('/');
  const [folder, name] = [path.slice(0, Math.max(0, cut)), path.slice(cut + 1)];
  const ending = /.\.([A-Za-z0-9]{1,8})$/.exec(name)?.[1] ?? null;
  const choices: LeaveOutChoice[] = [
    {
      pattern: exactly(path),
      label: folder === '' ? `Files called ${name}` : `Only this file: ${path}`,
    },
  ];
  if (folder !== '') {
    choices.push({ pattern: `${exactly(folder)}/**`, label: `Everything in the folder ${folder}` });
  }
  if (ending !== null) {
    choices.push({ pattern: `*.${ending}`, label: `All .${ending} files of this watched folder` });
  }
  return choices.filter(({ pattern }) => pattern.length <= MAX_PATTERN);
}
