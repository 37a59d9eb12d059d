/** `app://` serves the window's files and pictures of ledger items, nothing else, each with the content security policy. */
import { readFile } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';
import { protocol } from 'electron';
import { answerMedia } from './itemMedia.ts';

export const APP_ORIGIN = 'app://sluice';

export const CSP = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};

const HEADERS = {
  'content-security-policy': CSP,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** The file for an address; null for anything outside the window's files or of an unknown type. Pure. */
export function fileFor(address: string, root: string): { path: string; type: string } | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  if (url.protocol !== 'app:' || url.host !== 'sluice') return null;
  let name: string;
  try {
    name = decodeURIComponent(url.pathname);
  } catch {
    return null;
  }
  if (name.includes('\0') || name.includes('\\')) return null;
  const path = normalize(join(root, name === '/' ? 'index.html' : name));
  if (!path.startsWith(root + sep)) return null;
  const type = TYPES[extname(path)];
  return type === undefined ? null : { path, type };
}

/** Registers the scheme; must be called before the application is ready. */
export function declareAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    {
      scheme: 'app',
      privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true },
    },
  ]);
}

function notFound(): Response {
  return new Response('Not found', { status: 404, headers: HEADERS });
}

/** Serves the window's files from a directory, and items by id; `realPath` returns an item's path without links, null without a file. */
export function serveApp(root: string, realPath: (id: number) => Promise<string | null>): void {
  protocol.handle('app', async (request) => {
    if (request.method !== 'GET') return notFound();
    const file = fileFor(request.url, root);
    if (file === null) return (await answerMedia(request, realPath, HEADERS)) ?? notFound();
    try {
      const body = await readFile(file.path);
      return new Response(new Uint8Array(body), {
        headers: { ...HEADERS, 'content-type': file.type },
      });
    } catch {
      return notFound();
    }
  });
}
