/** Detects paths on other computers: there, the system does not report changes made by others. */
import { statfs } from 'node:fs/promises';
import { encodePath } from './names/pathBytes.ts';

/** File system types, by their Linux numbers, that may be on other computers. */
const NETWORK_SYSTEMS: Readonly<Record<number, string>> = {
  0x6969: 'NFS',
  0x517b: 'SMB',
  0xff534d42: 'CIFS',
  0xfe534d42: 'SMB',
  0x01021997: '9P',
  0x5346414f: 'AFS',
  0x6b414653: 'AFS',
  0x00c36400: 'Ceph',
  0x0bd00bd0: 'Lustre',
  0x19830326: 'BeeGFS',
  0x65735546: 'FUSE (it may be a network share)',
  0x786f4256: 'a folder shared with a virtual machine',
};

/** The kind of network share a path is on; null when it is on none or this system does not say. Pure. */
export function networkShare(platform: string, path: string, type: number): string | null {
  if (platform === 'win32') return /^[\\/]{2}[^?.]/.test(path) ? 'a Windows share' : null;
  return platform === 'linux' ? (NETWORK_SYSTEMS[type >>> 0] ?? null) : null;
}

/** True when the directory is on another computer, as far as the system knows. */
export async function isRemote(directory: string): Promise<boolean> {
  try {
    const { type } = await statfs(encodePath(directory));
    return networkShare(process.platform, directory, Number(type)) !== null;
  } catch {
    return false;
  }
}
