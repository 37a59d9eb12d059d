/** What `doctor` asks the service: whether it answers, whether its clock agrees, whether the key opens the workspace. */
import {
  AGAIN,
  type ErrorCode,
  explain,
  shownCode,
  sluiceError,
  type SluiceError,
  wordsOf,
} from '../core/errors.ts';
import { type Connection, createClient } from '../runner/connect.ts';
import { bad, type Check, fine, warn } from './checks.ts';
import { formatDuration } from '../core/contract.ts';
import { plainHttpSentence } from '../core/plainHttp.ts';
import { dateOf, meaningOfFailure } from '../evidence/answers.ts';
import type { NetworkFault, Ports } from '../core/ports.ts';

/** A working service answers within this time, in ms. Our choice: a person is waiting. */
const STALL_MS = 10_000;

/** Nothing continues by itself here: the check has ended. */
function toTry(hint: string): string {
  return hint.replace(AGAIN, 'Try again later.');
}

function wordsAbout(code: ErrorCode): readonly [string, string] {
  const { message, hint } = wordsOf(code);
  return [message, toTry(hint)];
}

/** What is wrong, and what to do, where that differs from what an upload says. */
const FAULTS: Readonly<Partial<Record<NetworkFault, readonly [string, string]>>> = {
  refused: [
    'Nothing answers at this address.',
    'Check the address and its port, or start the service.',
  ],
  held: wordsAbout('disk.missing'),
  offline: ['No network connection.', 'Check the network.'],
  tls: [
    'The service could not prove its identity.',
    'Behind a company proxy, name its certificate in NODE_EXTRA_CA_CERTS; otherwise check the address.',
  ],
  lost: [
    'The connection was lost.',
    'Try again; if it happens again, check the network and the proxy.',
  ],
  timeout: ['The service did not answer in time.', 'Try again later; check the network and proxy.'],
  aborted: ['The check was interrupted.', 'Run it again.'],
};

/** A smaller difference does no harm; a larger one makes signed addresses and expiries wrong. Our choice. */
const CLOCK_WARN_MS = 2 * 60_000;
const CLOCK_BAD_MS = 60 * 60_000;

/** Judges this computer's clock against the service's; null when the service did not report its time. Pure. */
export function judgeClock(serviceAt: number | null, now: number): Check {
  const name = 'clock';
  if (serviceAt === null) return fine(name, 'Not compared: the service did not state its time.');
  const apart = Math.abs(now - serviceAt);
  if (apart < CLOCK_WARN_MS) {
    const seconds = Math.round(apart / 1000);
    return fine(name, `The clock agrees with the service's (${seconds} s apart).`);
  }
  const said = `The clock is ${formatDuration(apart)} ${now > serviceAt ? 'ahead of' : 'behind'} the service's.`;
  const todo = 'Set the clock of this computer, or let it be set over the network.';
  return (apart < CLOCK_BAD_MS ? warn : bad)(name, said, todo);
}

/** `clock`: the service's time and ours at that moment; null when the service did not report it. */
async function reach(
  ports: Pick<Ports, 'http' | 'clock'>,
  name: string,
  url: string,
  signal: AbortSignal,
) {
  const host = new URL(url).origin;
  const answer = await ports.http.request({
    ...{ method: 'GET', url: `${url}/`, headers: {}, body: null, stallMs: STALL_MS, signal },
  });
  const broken = ([said, todo]: readonly [string, string]) => ({
    check: bad(name, `${host}: ${said}`, todo),
    clock: null,
  });
  if (answer.kind === 'failure')
    return broken(FAULTS[answer.fault] ?? wordsAbout(meaningOfFailure(answer, 'read').code));
  const { status, headers, body } = answer;
  body.dispose();
  if (status === 407) return broken(wordsAbout('network.proxyAuth'));
  const serviceAt = dateOf(headers);
  const clock = serviceAt === null ? null : { serviceAt, now: ports.clock.now() };
  const safe = url.startsWith('https:') ? ' over TLS' : '';
  if (status >= 500) {
    const said = `${host} answers${safe}, but with an error of its own (${status}).`;
    const todo = 'Try again later; uploads wait and continue by themselves.';
    return { check: warn(name, said, todo), clock };
  }
  return { check: fine(name, `${host} answers${safe}.`), clock };
}

export function failed(name: string, error: SluiceError): Check {
  const { message, hint } = explain(error);
  // Only a refusal is about the key; other errors say nothing about it. A gateway's 502 is about the service, not the address.
  const isBrief = sluiceError(shownCode(error)).next === 'retry';
  return (isBrief ? warn : bad)(name, message, toTry(hint));
}

async function checkKey(
  ports: Ports,
  connection: Connection,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const client = createClient(ports, connection, null);
  const opened = await client.checkKey(signal);
  const { workspace } = connection;
  if (opened.ok) {
    const key = fine('key', 'The service accepts the key.');
    if (workspace === null || workspace === opened.value) {
      return [key, fine('workspace', `The workspace is ${opened.value}.`)];
    }
    const said = `The key opens the workspace ${opened.value}, but ${workspace} is named.`;
    const todo = 'Name the right --workspace (SLUICE_WORKSPACE), or use its key.';
    return [key, bad('workspace', said, todo)];
  }
  const { code, context } = opened.error;
  const isUntold = context['untold'] === true && context['plain'] === true;
  if (isUntold) {
    const untold = 'The service does not say which workspace the key belongs to.';
    return [
      warn('key', `Not checked: ${untold}`, null),
      bad('workspace', untold, 'Set SLUICE_WORKSPACE.'),
    ];
  }
  const isAboutKey = code === 'auth.rejected' || code === 'service.forbidden';
  return [failed(isAboutKey ? 'key' : 'address', opened.error)];
}

/** Checks everything that needs the network. Without a key it reports what was left out. */
export async function checkService(
  ports: Ports,
  service: Pick<Connection, 'apiUrl' | 'projectsUrl'> & { readonly connection: Connection | null },
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const { apiUrl, projectsUrl, connection } = service;
  const pipeline = await reach(ports, 'address', apiUrl, signal);
  const checks: Check[] = [pipeline.check];
  if (projectsUrl !== apiUrl) {
    checks.push((await reach(ports, 'projects address', projectsUrl, signal)).check);
  }
  const plain = plainHttpSentence([apiUrl, projectsUrl]);
  if (plain !== null) checks.push(warn('encryption', plain, null));
  const { clock } = pipeline;
  checks.push(judgeClock(clock?.serviceAt ?? null, clock?.now ?? 0));
  if (connection === null) {
    const said = 'No key is given, so its workspace was not checked.';
    const todo = 'Set SLUICE_API_KEY or name --api-key-file.';
    return [...checks, warn('key', said, todo)];
  }
  if (pipeline.check.state === 'bad')
    return [...checks, warn('key', 'Not checked: the service cannot be reached.', null)];
  return [...checks, ...(await checkKey(ports, connection, signal))];
}
