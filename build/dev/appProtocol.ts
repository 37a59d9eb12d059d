/**
 * Replaces `main/app/window/appProtocol.ts`, only in the bundle of `npm run dev` (vite.dev.config.ts): the page server answers `app://`,
 * so that changes are swapped into the open window.
 */
import { BrowserWindow, protocol } from 'electron';
import { answerMedia } from '../../main/app/window/itemMedia.ts';
import { CSP } from '../../main/app/window/appProtocol.ts';

export { APP_ORIGIN, declareAppScheme } from '../../main/app/window/appProtocol.ts';

const PAGE = process.env['SLUICE_DEV_PAGE'] ?? '';
const NONCE = process.env['SLUICE_DEV_NONCE'] ?? '';
const TYPE = 'content-type';

/** The window's own policy, extended by the page server's update connection and the styles that it inserts. */
function easedPolicy(): string {
  return CSP.split('; ')
    .map((directive) => {
      if (directive.startsWith('connect-src ')) return `${directive} ${PAGE.replace('http', 'ws')}`;
      return directive.startsWith('style-src ') ? `${directive} 'nonce-${NONCE}'` : directive;
    })
    .join('; ');
}

/** Serves the window from the page server. */
export function serveApp(_root: string, realPath: (id: number) => Promise<string | null>): void {
  protocol.handle('app', async (request) => {
    const { method, url, headers } = request;
    if (method !== 'GET') return new Response('Not found', { status: 404 });
    const media = await answerMedia(request, realPath, {});
    if (media !== null) return media;
    const { pathname, search } = new URL(url);
    // The Accept header distinguishes a module from a picture with the same name.
    const accept = headers.get('accept') ?? '*/*';
    const answer = await fetch(`${PAGE}${pathname}${search}`, { headers: { accept } });
    return new Response(await answer.arrayBuffer(), {
      status: answer.status,
      headers: {
        [TYPE]: answer.headers.get(TYPE) ?? 'text/plain',
        'content-security-policy': easedPolicy(),
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      },
    });
  });
}

// A page may not reload itself (`will-navigate`), so the page server asks here.
process.on('message', (message) => {
  if (message !== 'reload') return;
  for (const window of BrowserWindow.getAllWindows()) window.webContents.reload();
});
