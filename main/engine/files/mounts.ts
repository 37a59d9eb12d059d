/** Which file systems are mounted below a directory. The system reports nothing of it to those who listen to the directory. */
import { readFile } from 'node:fs/promises';
import { encodePath } from './names/pathBytes.ts';

/** The kernel's list of mounts, which states paths as bytes, and some of these as octal numbers. Only Linux has it. */
const MOUNTS = '/proc/self/mountinfo';

function asListed(path: string): string {
  const bytes = encodePath(path);
  const text =
    typeof bytes === 'string' ? Buffer.from(bytes).toString('latin1') : bytes.toString('latin1');
  return text.replaceAll(
    /[ \t\n\\]/g,
    (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
}

/** Number and path of each mount below the directory, in a list of the kernel, read as latin1. Pure. */
export function mountsIn(list: string, directory: string): string {
  const start = asListed(directory.endsWith('/') ? directory : `${directory}/`);
  return list
    .split('\n')
    .map((line) => line.split(' '))
    .flatMap(([id, , , , path]) => (path?.startsWith(start) === true ? `${id} ${path}` : []))
    .join('\n');
}

/** Changes when something is mounted below the directory, or no longer is; null when the system does not say. */
export async function mountsBelow(directory: string): Promise<string | null> {
  try {
    return mountsIn(await readFile(MOUNTS, 'latin1'), directory);
  } catch {
    return null;
  }
}
