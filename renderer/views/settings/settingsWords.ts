/** Texts used several times in Settings. */

const PLATFORMS: Readonly<Record<string, string>> = {
  darwin: 'macOS',
  linux: 'Linux',
  win32: 'Windows',
};

/** The name of the system as people know it. */
export function platformName(platform: string): string {
  return PLATFORMS[platform] ?? platform;
}
