/** Answers requests of pages: the application's own scheme through its handler, the rest as the session allows. */
import type { Request, Route } from 'playwright';
import { answerProtocol } from './protocol.ts';
import { isInside, toOutside } from './schemes.ts';
import { contentsOf } from './windows.ts';

/** The route handler of every request. */
export async function serve(route: Route): Promise<void> {
  const request = route.request();
  const page = pageOf(request);
  const contents = page === null ? null : contentsOf(page);
  if (contents === null) {
    // A window that the application did not open: it is being closed, and nothing is fetched for it.
    return quietly(route.fulfill({ status: 200, contentType: 'text/plain', body: '' }));
  }
  if (request.isNavigationRequest() && request.frame().parentFrame() === null) {
    if (!contents.allowsNavigation(request.url())) return quietly(route.abort('aborted'));
  }
  if (!isInside(request.url())) return quietly(route.continue());
  const answer = await answerProtocol(await asFetchRequest(request));
  return quietly(route.fulfill(answer));
}

function pageOf(request: Request): ReturnType<ReturnType<Request['frame']>['page']> | null {
  try {
    return request.frame().page();
  } catch {
    // The first request of a window that is still being created has no frame yet.
    return null;
  }
}

async function asFetchRequest(request: Request): Promise<globalThis.Request> {
  const body = request.postDataBuffer();
  const headers = new Headers();
  for (const [name, value] of Object.entries(await request.allHeaders())) {
    if (!name.startsWith(':')) headers.set(name, name === 'referer' ? toOutside(value) : value);
  }
  return new globalThis.Request(toOutside(request.url()), {
    method: request.method(),
    headers,
    ...(body === null ? {} : { body: new Uint8Array(body) }),
  });
}

// A page may be gone before its answer is ready.
async function quietly(action: Promise<void>): Promise<void> {
  await action.catch(() => undefined);
}
