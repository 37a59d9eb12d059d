/** Answers requests of pages: the application's own scheme through its handler, the rest as the session allows. */
import type { Session } from './chromium.ts';
import { answerProtocol } from './protocol.ts';
import { isInside, toOutside } from './schemes.ts';
import { contentsOf } from './windows.ts';

/** A request that waits for what the host decides. */
interface Paused {
  readonly requestId: string;
  /** The frame that asks; a page's own frame has the page's id. */
  readonly frameId: string;
  readonly resourceType: string;
  readonly request: {
    readonly url: string;
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
  };
}

/** Answers a request, passes it on or refuses it. */
export async function serve(whole: Session, paused: Paused): Promise<void> {
  try {
    await decide(whole, paused);
  } catch {
    // A page may be gone before its answer is ready.
  }
}

async function decide(whole: Session, paused: Paused): Promise<unknown> {
  const { requestId, frameId, request } = paused;
  const contents = contentsOf(frameId);
  if (contents === null) {
    // A window that the application did not open: it is being closed, and nothing is fetched for it.
    return whole.send('Fetch.fulfillRequest', { requestId, responseCode: 200 });
  }
  if (paused.resourceType === 'Document' && !contents.allowsNavigation(request.url)) {
    return whole.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
  }
  if (!isInside(request.url)) return whole.send('Fetch.continueRequest', { requestId });
  const { status, headers, body } = await answerProtocol(asFetchRequest(request));
  return whole.send('Fetch.fulfillRequest', {
    requestId,
    responseCode: status,
    responseHeaders: Object.entries(headers).map(([name, value]) => ({ name, value })),
    body: body.toString('base64'),
  });
}

/** Without its body: the application answers GET and nothing else. */
function asFetchRequest({ url, method, headers }: Paused['request']): Request {
  const sent = new Headers(headers);
  const referer = sent.get('referer');
  if (referer !== null) sent.set('referer', toOutside(referer));
  return new Request(toOutside(url), { method, headers: sent });
}
