/** Names from outside (the service, an archive), made safe as names on this disk. Pure functions. */
import { UNPRINTABLE, withSuffix } from './safeNames.ts';

/** Leaves room for ".sluice.part" and a number within the 255 bytes that file systems allow. */
const MAX_LOCAL_BYTES = 240;
/** Device names on Windows, with any extension. */
const RESERVED =
  /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3])(?:[. ]|$)/i;
/** Endings of our own unfinished files: a finished file with one of them would be taken for unfinished. */
const OURS = /\.(?:part|unpacking|tmp)$/i;
/** Path separators, characters that Windows forbids (":" also opens a hidden stream), and our own byte escapes. */
const FORBIDDEN = /[/\\<>:"|?*\uef80-\uefff]/g;

/**
 * A safe file name from any text: one path component, no Windows device, not hidden, no trailing dot or space, at most
 * 240 bytes. The same text always gives the same name; different texts may give the same one (see uniqueLocalName).
 */
export function localFileName(evilName: string): string {
  let name = evilName
    .replace(UNPRINTABLE, '_')
    .replace(FORBIDDEN, '_')
    .replace(/^[.\s]+/, (run) => '_'.repeat(run.length));
  if (RESERVED.test(name) || name === '') name = `_${name}`;
  name = withSuffix(name, '', MAX_LOCAL_BYTES);
  name = name.replace(/[. ]+$/, (run) => '_'.repeat(run.length));
  return OURS.test(name) ? `${name}_` : name;
}

/** The name, or the name with "~2", "~3"… before its extension if it is taken. */
export function uniqueLocalName(name: string, isTaken: (name: string) => boolean): string {
  let unique = name;
  for (let count = 2; isTaken(unique); count += 1) {
    unique = withSuffix(name, `~${count}`, MAX_LOCAL_BYTES);
  }
  return unique;
}
