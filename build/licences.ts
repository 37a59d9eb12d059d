/** The licence notices of everything that ships, in one file: the window's "about" page shows it, and each copy must include it. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BUNDLES, NATIVE } from './bundles.ts';

/** Vite writes it next to each bundle: the packages in it, with their licences (`build.license`). */
export const LICENCES_FILE = 'licences.json';

/** A package that ships, with its licence. */
export interface Notice {
  readonly name: string;
  readonly version: string;
  readonly identifier?: string;
  readonly text?: string;
}

/** A package shipped next to the bundles because it is native. */
async function noticeOf(directory: string): Promise<Notice> {
  const { name, version, license } = JSON.parse(
    await readFile(join(directory, 'package.json'), 'utf8'),
  );
  const text = await readFile(join(directory, 'LICENSE'), 'utf8');
  return { name, version, identifier: license, text: text.trim() };
}

type Bundles = readonly { readonly out: string }[];

/**
 * The packages in these bundles, and the native libraries that ship next to them (all unless specified). A package may be in two of them.
 */
export async function noticesOf(
  root: string,
  bundles: Bundles,
  shipped: readonly string[] = NATIVE,
): Promise<readonly Notice[]> {
  const ofBundles = bundles.map(async ({ out }): Promise<readonly Notice[]> => {
    return JSON.parse(await readFile(join(root, out, LICENCES_FILE), 'utf8'));
  });
  const native = shipped.map((name) => noticeOf(join(root, 'node_modules', name)));
  return (await Promise.all([...ofBundles, ...native])).flat();
}

/**
 * The text of a licence. A few packages only give its name: for MIT the text of our own licence file is used, since each copy must
 * include one. Throws for any other.
 */
function textOf({ name, identifier, text = '' }: Notice, ownLicence: string): string {
  if (text !== '') return text;
  if (identifier !== 'MIT')
    throw new Error(`the package ${name} comes without the text of its licence`);
  const permission = ownLicence.slice(ownLicence.indexOf('Permission is hereby granted'));
  return `MIT License\n\nCopyright (c) the authors of ${name}\n\n${permission.trim()}`;
}

/** The licence texts, each package once. Throws when one is missing. */
export async function licencesOf(
  root: string,
  bundles: Bundles,
  shipped: readonly string[] = NATIVE,
): Promise<string> {
  const notices = await noticesOf(root, bundles, shipped);
  const ownLicence = await readFile(join(root, 'LICENSE'), 'utf8');
  const texts = new Map(
    notices.map((notice) => {
      const title = `${notice.name} ${notice.version}`;
      const kind = notice.identifier ?? 'see below';
      return [title, `${title}, ${kind}\n\n${textOf(notice, ownLicence)}\n`];
    }),
  );
  const sorted = [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  return sorted.join(`\n${'—'.repeat(40)}\n\n`);
}

/** Writes out/licences.txt from the files next to the bundles. */
export async function writeLicences(root: string): Promise<void> {
  await writeFile(join(root, 'out', 'licences.txt'), await licencesOf(root, BUNDLES));
}
