/** `protocol`: the application's own scheme. */
import type { CustomScheme, Protocol } from 'electron';
import { isReady } from './life.ts';
import { notOnHostError, strictModule } from './notOnHost.ts';

type Handler = (request: Request) => Response | Promise<Response>;

const privileged = new Set<string>();
const handlers = new Map<string, Handler>();

function onlyApp(scheme: string): void {
  if (scheme !== 'app') throw notOnHostError(`The scheme ${scheme}://`);
}

/** The part of Electron's `protocol` that the host has: one scheme, `app`. */
export const protocol = strictModule('protocol', {
  registerSchemesAsPrivileged(schemes: CustomScheme[]): void {
    if (isReady()) {
      throw new Error('protocol.registerSchemesAsPrivileged should be called before app is ready');
    }
    for (const { scheme, privileges } of schemes) {
      onlyApp(scheme);
      if (privileges?.standard !== true || privileges.secure !== true) {
        throw notOnHostError('app:// that is not standard and secure');
      }
      privileged.add(scheme);
    }
  },
  handle(scheme: string, handler: Handler): void {
    onlyApp(scheme);
    if (!isReady()) throw new Error('protocol.handle needs a session: call it after app is ready');
    if (!privileged.has(scheme)) throw notOnHostError('app:// without registerSchemesAsPrivileged');
    if (handlers.has(scheme)) throw new Error(`Failed to register protocol: ${scheme}`);
    handlers.set(scheme, handler);
  },
} satisfies Partial<Protocol>);

/** A response in the form that Chromium needs. */
export interface ProtocolAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Lets the application's handler answer a request for `app://`; 404 without a handler. */
export async function answerProtocol(request: Request): Promise<ProtocolAnswer> {
  const handler = handlers.get('app');
  if (handler === undefined) return { status: 404, headers: {}, body: Buffer.from('No handler') };
  try {
    const response = await handler(request);
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
    };
  } catch (error) {
    console.error('protocol.handle failed:', error);
    return { status: 500, headers: {}, body: Buffer.from('The handler of app:// failed') };
  }
}
