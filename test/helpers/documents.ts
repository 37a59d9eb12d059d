/** The project's pages as data: their links, the commands that they ask people to type, and the paths that they name. */
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

const PAGES = ['*.md', 'docs/**/*.{md,sh}', 'test/*/README.md'];

/** Every page by its path within the project, with "/". */
export async function readPages(): Promise<ReadonlyMap<string, string>> {
  const pages = new Map<string, string>();
  for await (const path of glob(PAGES, { cwd: ROOT })) {
    pages.set(path.replaceAll('\\', '/'), await readFile(join(ROOT, path), 'utf8'));
  }
  return pages;
}

/** Splits a page into its code blocks and the rest; a script is all code. */
function split(path: string, text: string): { readonly code: string; readonly prose: string } {
  if (!path.endsWith('.md')) return { code: text, prose: '' };
  const parts = text.split(/^```.*$/m);
  const every = (remainder: number) => parts.filter((_, index) => index % 2 === remainder);
  return { code: every(1).join('\n'), prose: every(0).join('\n') };
}

/** The targets of the links of a page: paths and anchors within the project. */
export function linksIn(path: string, text: string): readonly string[] {
  const { prose } = split(path, text);
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors of a page's headings, as forges make them. */
export function anchorsIn(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Inline code in sentences and tables. */
export function spansIn(path: string, text: string): readonly string[] {
  const { prose } = split(path, text);
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span.replaceAll('\\|', '|'));
}

/** Command lines of `program` in code blocks and sentences, without its name; a line that ends in \ continues. */
export function commandsIn(path: string, text: string, program: string): readonly string[] {
  const { code } = split(path, text);
  const lines = code.replaceAll(/\\\n\s*/g, '').split('\n');
  const typed = lines.filter((line) => !/^\s*(?:#|\/\/)/.test(line));
  const begin = new RegExp(`(?:^|[\\s;&(])${program} (.+)$`);
  return [...typed, ...spansIn(path, text).filter((span) => span.startsWith(`${program} `))]
    .flatMap((line) => begin.exec(line.replace(/\s+#.*$/, ''))?.[1] ?? [])
    .map((line) => line.replace(/ (?:[>|&]|;;).*$/, '').trim());
}
