/** What `doctor` checks on this computer: each check is a sentence, with what to do if something is wrong. */
import { constants } from 'node:fs';
import { access, readFile, stat, statfs } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { formatBytes } from '../core/contract.ts';
import { ledgerPath } from '../core/dataDirectory.ts';
import { networkShare } from '../files/networkShare.ts';
import type { Files, Environment } from '../core/ports.ts';
import { openFiles } from '../core/privateFiles.ts';
import { certificateFile } from '../service/http/certificates.ts';
import { proxyFromEnvironment } from '../service/http/proxy.ts';
import { ledgerHealth, ownerOf } from '../store/ledgerHealth.ts';

export interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'bad';
  /** What was found; a sentence. */
  readonly said: string;
  /** What to do; null when there is nothing to do. */
  readonly todo: string | null;
}

/** A check that found nothing to fix. Pure. */
export function fine(name: string, said: string): Check {
  return { name, state: 'ok', said, todo: null };
}

/** A check that found something to look at, or something that does not work. `todo`: what to do; null when there is nothing to do. Pure. */
export function warn(name: string, said: string, todo: string | null): Check {
  return { name, state: 'warn', said, todo };
}
export function bad(name: string, said: string, todo: string): Check {
  return { name, state: 'bad', said, todo };
}

/** The ledger and resumed downloads need space; below this nothing is reliable. Our choice. */
const FREE_BAD_BYTES = 100e6;
const FREE_WARN_BYTES = 1e9;

/** Judges the free space on the disk with the data folder; null when unknown. Pure. */
export function judgeSpace(freeBytes: number | null): Check {
  const name = 'disk';
  if (freeBytes === null) {
    const todo = 'Check that the disk of the data folder has free space.';
    return warn(name, 'The free space could not be read.', todo);
  }
  const room = `${formatBytes(freeBytes)} are free where the data folder is.`;
  if (freeBytes >= FREE_WARN_BYTES) return fine(name, room);
  const todo = 'Free some space, or choose another folder with --data-dir.';
  return (freeBytes < FREE_BAD_BYTES ? bad : warn)(name, room, todo);
}

/** A watch of a large tree takes one inotify watch per directory (Syncthing asks for about this many). */
const WATCHES_WANTED = 65_536;
const INSTANCES_WANTED = 128;

/** Judges the kernel's limits on watching; null where a limit cannot be read. Pure. */
export function judgeInotify(watches: number | null, instances: number | null): Check {
  const name = 'inotify';
  if (watches === null || instances === null) {
    return warn(name, 'The inotify limits cannot be read.', null);
  }
  const said = `${watches} directories and ${instances} programs can be watched at once.`;
  const raise = [
    watches < WATCHES_WANTED ? 'fs.inotify.max_user_watches=524288' : null,
    instances < INSTANCES_WANTED ? 'fs.inotify.max_user_instances=512' : null,
  ].filter((setting) => setting !== null);
  if (raise.length === 0) return fine(name, said);
  const todo = `For large watched trees: sudo sysctl ${raise.join(' ')}. Until then they are scanned instead.`;
  return warn(name, said, todo);
}

/** Judges the running Node version: 22.22 is the oldest that Sluice works with ("engines" in package.json). Pure. */
export function judgeNode(version: string): Check {
  const name = 'node';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 22)) return fine(name, `Node ${version} runs this.`);
  const said = `Node ${version} runs this; Sluice needs Node 22.22 or newer.`;
  return bad(name, said, 'Install Node 24, or run npm ci in the checkout.');
}

/**
 * With fewer open files, source files, sockets and the ledger cannot be open at the same time. Measured: 34 stall, 40 pass; the rest is
 * reserve.
 */
const OPEN_FILES_LEAST = 64;
const OPEN_FILES_WANTED = 1024;

/** Judges how many files this process may open at once; null when there is no limit or it cannot be read. Pure. */
export function judgeOpenFiles(most: number | null): Check {
  const name = 'open files';
  if (most === null) return fine(name, 'This system sets no limit that can be read.');
  const said = `${most} files may be open at once.`;
  if (most >= OPEN_FILES_WANTED) return fine(name, said);
  const todo = 'Raise the limit before you start Sluice: ulimit -n 4096';
  return (most < OPEN_FILES_LEAST ? bad : warn)(name, said, todo);
}

/** Reports whether a proxy is used for the service. Pure; a password in its address is not shown. */
export function judgeProxy(environment: Environment, url: string): Check {
  const name = 'proxy';
  const proxy = proxyFromEnvironment(environment)(new URL(url).origin);
  if (proxy === null) return fine(name, 'No proxy is used for the service.');
  if (!URL.canParse(proxy)) {
    const todo = 'Correct HTTPS_PROXY, HTTP_PROXY or ALL_PROXY.';
    return bad(name, 'The address of the proxy is not valid.', todo);
  }
  return fine(name, `The service is reached through the proxy ${new URL(proxy).host}.`);
}

async function mayAccess(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

/** Reports how variables change which certificates are trusted: an additional file, or no check at all; null when none does. */
export async function checkCertificates(environment: Environment): Promise<Check | null> {
  const name = 'certificates';
  // Node applies this variable to every connection of the program.
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    const said =
      'NODE_TLS_REJECT_UNAUTHORIZED=0 switches the check of certificates off: anyone on the way can read the key.';
    const todo =
      'Remove the variable. Behind a company proxy, name its certificate in NODE_EXTRA_CA_CERTS.';
    return bad(name, said, todo);
  }
  const path = certificateFile(environment);
  if (path === null) return null;
  if (await mayAccess(path, constants.R_OK))
    return fine(name, `The certificates in ${path} are trusted, too.`);
  const said = `${path}, which SSL_CERT_FILE or NODE_EXTRA_CA_CERTS names, cannot be read.`;
  return bad(name, said, 'Correct the variable, or the permissions of the file.');
}

/** The directory itself, or its nearest existing ancestor. */
async function nearest(path: string): Promise<string> {
  const parent = dirname(path);
  return parent === path || (await mayAccess(path, constants.F_OK)) ? path : nearest(parent);
}

/** The folder's location, permissions and file system, without writing a byte. */
async function checkFolder(directory: string, platform: string): Promise<readonly Check[]> {
  const name = 'data folder';
  const there = await nearest(directory);
  const exists = there === directory;
  if (exists && !(await stat(there)).isDirectory()) {
    const said = `${directory} is a file, not a folder.`;
    return [bad(name, said, 'Choose another folder with --data-dir.')];
  }
  if (!(await mayAccess(there, constants.W_OK | constants.X_OK))) {
    const todo = 'Allow this user to write there, or choose another folder with --data-dir.';
    return [bad(name, `${there} cannot be written to.`, todo)];
  }
  const use = exists ? 'can be written to' : 'will be created at first use';
  const checks = [fine(name, `${directory} ${use}.`)];
  if (exists && platform !== 'win32' && ((await stat(there)).mode & 0o077) !== 0) {
    const said = 'Other users of this computer can look into the data folder.';
    checks.push(warn('rights', said, `Close it: chmod 700 ${directory}`));
  }
  const open = exists ? openFiles(directory) : [];
  if (open.length > 0) {
    const said = `Other users of this computer can read ${open.map((path) => basename(path)).join(', ')}.`;
    const todo = 'Start an upload or the window once: it makes them private.';
    checks.push(bad('rights of files', said, todo));
  }
  const share = networkShare(platform, there, (await statfs(there)).type);
  if (share !== null) {
    const said = `The data folder is on ${share}: the ledger is not safe there when several computers use it or the connection breaks.`;
    const todo = 'Choose a folder on a disk of this computer with --data-dir.';
    checks.push(warn('share', said, todo));
  }
  return checks;
}

function checkLedger(directory: string): Check {
  const name = 'ledger';
  const health = ledgerHealth(ledgerPath(directory));
  switch (health.kind) {
    case 'none':
      return fine(name, 'There is no ledger yet; the first upload creates it.');
    case 'empty':
      return fine(name, 'The ledger is empty; the first upload fills it.');
    case 'closed': {
      const todo = 'Run the command as the user whose Sluice works there, or check the disk.';
      return bad(name, 'This user cannot read the ledger.', todo);
    }
    case 'good':
      return fine(name, `The ledger is intact (version ${health.version}).`);
    case 'newer': {
      const said = `The ledger is of version ${health.version}; this Sluice knows ${health.known}.`;
      return bad(name, said, 'Use the newer Sluice; nothing was changed.');
    }
    case 'bad': {
      const said = `The ledger cannot be read: ${health.said}.`;
      const todo = 'Run an upload: the damaged file is set aside and what can be read is kept.';
      return bad(name, said, todo);
    }
  }
}

function checkOwner(directory: string): Check {
  const owner = ownerOf(directory);
  const said =
    owner === null
      ? 'No running Sluice uses the data folder.'
      : `The data folder is in use by ${owner}; commands that only read still work.`;
  return fine('owner', said);
}

async function limitIn(path: string): Promise<number | null> {
  try {
    const value = Number((await readFile(path, 'utf8')).trim());
    return Number.isSafeInteger(value) ? value : null;
  } catch {
    return null;
  }
}

/** Checks everything that needs no network. */
export async function checkComputer(
  directory: string,
  files: Pick<Files, 'freeBytes'>,
  system: {
    readonly platform: string;
    readonly nodeVersion: string;
    /** How many files this process may open; null when there is no limit. */
    readonly openFilesMost: number | null;
  },
): Promise<readonly Check[]> {
  const { platform, nodeVersion, openFilesMost } = system;
  const limits = '/proc/sys/fs/inotify';
  const inotify =
    platform === 'linux'
      ? judgeInotify(
          await limitIn(`${limits}/max_user_watches`),
          await limitIn(`${limits}/max_user_instances`),
        )
      : fine('inotify', 'This system sets no such limit.');
  return [
    judgeNode(nodeVersion),
    ...(await checkFolder(directory, platform)),
    judgeSpace(await files.freeBytes(directory)),
    checkLedger(directory),
    checkOwner(directory),
    inotify,
    judgeOpenFiles(openFilesMost),
  ];
}
