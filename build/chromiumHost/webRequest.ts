/** `session.webRequest`: the hooks between a page and what it fetches. */
import type { Request } from 'playwright';
import { strictModule } from './notOnHost.ts';
import { toOutside } from './schemes.ts';

type Respond = (response: HookResponse) => void;
type Hook = (details: Readonly<Record<string, unknown>>, respond: Respond) => void;
type Filter = { readonly urls: readonly string[] };

interface HookResponse {
  readonly cancel?: boolean;
  readonly responseHeaders?: Readonly<Record<string, string | readonly string[]>>;
}
interface Hooked {
  readonly hook: Hook;
  readonly urls: readonly string[];
}

const hooks = { request: none(), headers: none() };

function none(): Hooked | null {
  return null;
}

function hooked(first: Hook | Filter | null, second?: Hook | null): Hooked | null {
  if (typeof first === 'function') return { hook: first, urls: [] };
  if (first === null || !second) return null;
  return { hook: second, urls: first.urls };
}

/** The two hooks that the host supports. */
export const webRequest = strictModule('webRequest', {
  onBeforeRequest(first: Hook | Filter | null, second?: Hook | null): void {
    hooks.request = hooked(first, second);
  },
  onHeadersReceived(first: Hook | Filter | null, second?: Hook | null): void {
    hooks.headers = hooked(first, second);
  },
});

function applies(hook: Hooked | null, url: string): hook is Hooked {
  if (hook === null) return false;
  return hook.urls.length === 0 || hook.urls.some((pattern) => matches(pattern, url));
}

/** Chrome's match patterns, as far as `*` means any text. */
export function matches(pattern: string, url: string): boolean {
  if (pattern === '<all_urls>') return true;
  const source = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${source.join('.*')}$`).test(url);
}

function ask(hook: Hook, details: Readonly<Record<string, unknown>>): Promise<HookResponse> {
  return new Promise((resolve) => hook(details, resolve));
}

function detailsOf(request: Request, webContentsId: number): Readonly<Record<string, unknown>> {
  return {
    url: toOutside(request.url()),
    method: request.method(),
    webContentsId,
    resourceType: request.isNavigationRequest() ? 'mainFrame' : request.resourceType(),
    referrer: '',
  };
}

/** Asks the application's onBeforeRequest. */
export async function passRequest(request: Request, id: number): Promise<{ cancel: boolean }> {
  const hook = hooks.request;
  if (!applies(hook, toOutside(request.url()))) return { cancel: false };
  const response = await ask(hook.hook, detailsOf(request, id));
  return { cancel: response.cancel === true };
}

/** Asks the application's onHeadersReceived; returns the headers to use. */
export async function passResponse(
  request: Request,
  id: number,
  headers: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const hook = hooks.headers;
  if (!applies(hook, toOutside(request.url()))) return { ...headers };
  const lists = Object.entries(headers).map(([name, value]) => [name, [value]] as const);
  const details = { ...detailsOf(request, id), responseHeaders: Object.fromEntries(lists) };
  const answer = (await ask(hook.hook, details)).responseHeaders ?? headers;
  const flat = Object.entries(answer).map(
    ([name, value]) => [name, typeof value === 'string' ? value : value.join(', ')] as const,
  );
  return Object.fromEntries(flat);
}
