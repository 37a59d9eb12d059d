/** What every command works with. */
import { readFile, stat, type Stats } from 'node:fs';
import { promisify } from 'node:util';
import type { ErrorCode, Result, SluiceError } from '../../../preload/contract/errors.ts';
import { explain } from '../../../preload/contract/messages.ts';
import { hasKeyInAddress } from '../../../preload/contract/serviceAddress.ts';
import { type Connection, createClient, type ServiceClient } from '../../engine/runner/connect.ts';
import { errnoOf, isGone } from '../../engine/core/errno.ts';
import { fail, ok, sluiceError, allOf, PASSING_WAITS } from '../../engine/core/errors.ts';
import { plainHttpSentence } from '../../engine/core/plainHttp.ts';
import type { Clock, Ports, Environment } from '../../engine/core/ports.ts';
import { registerSecret } from '../../engine/core/redact.ts';
import { GLOBAL_OPTIONS } from '../options/globals.ts';
import { type Arguments, usage } from '../terminal/args.ts';
import type { Output } from '../terminal/output.ts';

export interface CommandContext {
  readonly args: Arguments;
  readonly output: Output;
  readonly environment: Environment;
  readonly dataDirectory: string;
  /** Aborts on Ctrl-C and when the system ends the process. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Loaded and created on the first call: many commands need none. */
  readonly ports: () => Promise<Ports>;
  /** Starts the thread that reads and sends files. To be awaited: loading a command leaves this thread no time to start another. */
  readonly prepareFiles: () => Promise<void>;
}

/** An exit code or an error, at once or later. */
export type End = Result<number> | Promise<Result<number>>;

/** What a command does with the words after its name. Returns the exit code. The caller shows its error and anything it throws. */
export type Action = (context: CommandContext, words: readonly string[]) => End;

/** The actions of a command by sub-command; the command's own action is under ''. */
export type Actions = Readonly<Record<string, Action>>;

const STANDARD_URL = GLOBAL_OPTIONS['api-url'].standard;

/** Without white space around it, which a file with Windows line ends leaves there. */
function webAddress(given: string, name: string): Result<string> {
  const text = given.trim();
  try {
    const url = new URL(text);
    if (url.protocol === 'http:' || url.protocol === 'https:') return ok(text.replace(/\/+$/, ''));
  } catch {
    // Rejected below.
  }
  return usage(`${name} is not a web address`);
}

/** What can be sent as a key, and is short enough to be looked for in everything that is shown. Our choice of length. */
const KEY = /^[!-~]{1,2000}$/;

/** The key in a text; `place` says where the text is from. The error does not repeat the text, which may hold a key. */
function keyIn(text: string, place: string): Result<string> {
  const key = text.trim();
  if (!KEY.test(key)) return usage(`${place} is not a key: one word without spaces`);
  registerSecret(key);
  return ok(key);
}

const KEY_FILE_REASONS: ReadonlyMap<string | null, string> = new Map([
  ['EACCES', 'no permission'],
  ['EISDIR', 'it is a directory'],
]);

/** Why a file that an option names cannot be read. Does not name it: a person may have typed the key itself. */
export function whyUnreadable(error: unknown): string {
  if (isGone(error)) return 'there is no such file';
  const errno = errnoOf(error);
  return KEY_FILE_REASONS.get(errno) ?? errno ?? 'unknown';
}

/** Reads a small file. Asynchronous: Ctrl-C works while a network drive hangs, or while nothing comes from a pipe. */
export const readFileAsync = promisify(readFile);
export const statAsync = promisify(stat);

/** Marked, since it may pass: the file is replaced at that moment, for example. */
function keyFileFault(said: string): Result<never> {
  return fail('usage.invalid', { said, keyFile: true });
}

/** Whether more users than this one can read a file. One of another owner was opened for this user by its group: a secret of Kubernetes, a credential of systemd. */
export function isOpenToOthers(
  { mode, uid }: Pick<Stats, 'mode' | 'uid'>,
  userId: number | undefined,
): boolean {
  return (mode & (uid === userId ? 0o077 : 0o007)) !== 0;
}

async function readKeyFile(path: string, output: Output): Promise<Result<string>> {
  try {
    const text = await readFileAsync(path, 'utf8');
    if (text.trim() === '') return keyFileFault('the key file is empty');
    if (process.platform !== 'win32' && isOpenToOthers(await statAsync(path), process.getuid?.())) {
      output.say('The key file can be read by other users of this computer; chmod 600 closes it.');
    }
    return keyIn(text, 'what the key file contains');
  } catch (error) {
    return keyFileFault(`the key file cannot be read: ${whyUnreadable(error)}`);
  }
}

async function readKey(context: CommandContext): Promise<Result<string>> {
  const file = context.args.text('api-key-file');
  if (file !== null) return readKeyFile(file, context.output);
  const text = context.environment['SLUICE_API_KEY'] ?? '';
  if (text.trim() === '') return usage('no key: set SLUICE_API_KEY or use --api-key-file');
  return keyIn(text, 'the value of SLUICE_API_KEY');
}

type Addresses = Pick<Connection, 'apiUrl' | 'projectsUrl'>;

/** The addresses, unless they contain a key: they are stored in the ledger and shown. The error does not repeat them. */
function withoutKey(addresses: Addresses, apiKey: string): Result<Addresses> {
  const { apiUrl, projectsUrl } = addresses;
  if (![apiUrl, projectsUrl].some((address) => hasKeyInAddress(address, apiKey)))
    return ok(addresses);
  return usage(
    'leave the key or password out of the address of the service, and pass the key by SLUICE_API_KEY or --api-key-file',
  );
}

/** The value of a global option, or of its variable; null without either. */
export function givenFor(
  { args, environment }: Pick<CommandContext, 'args' | 'environment'>,
  name: 'api-url' | 'projects-url' | 'workspace',
): string | null {
  return args.text(name) ?? (environment[GLOBAL_OPTIONS[name].variable] || null);
}

/** The addresses from options and environment, without a key. Error: usage.invalid. */
export function readAddresses(context: CommandContext): Result<Addresses> {
  const apiUrl = webAddress(
    givenFor(context, 'api-url') ?? STANDARD_URL,
    'the address of the service',
  );
  const projects = givenFor(context, 'projects-url');
  const projectsUrl = projects === null ? apiUrl : webAddress(projects, 'the projects address');
  const addresses = allOf({ apiUrl, projectsUrl });
  if (!addresses.ok) return addresses;
  return withoutKey(addresses.value, context.environment['SLUICE_API_KEY']?.trim() ?? '');
}

/** The connection that options and environment describe. Error: usage.invalid. */
export async function readConnection(context: CommandContext): Promise<Result<Connection>> {
  const addresses = readAddresses(context);
  if (!addresses.ok) return addresses;
  const apiKey = await readKey(context);
  if (!apiKey.ok) return apiKey;
  const safe = withoutKey(addresses.value, apiKey.value);
  if (!safe.ok) return safe;
  const workspace = givenFor(context, 'workspace');
  if (workspace !== null && !/^[A-Za-z0-9_-]+$/.test(workspace)) {
    return usage('the workspace is given as its slug: letters, digits, - and _');
  }
  return ok({ ...addresses.value, apiKey: apiKey.value, workspace });
}

export interface Connected {
  readonly connection: Connection;
  readonly client: ServiceClient;
}

/** The client for commands that only talk to the service. `observe` is called with the end of each request. */
export async function openClient(
  context: CommandContext,
  observe?: (end: { readonly accepted: boolean }) => void,
): Promise<Result<Connected>> {
  const connection = await readConnection(context);
  if (!connection.ok) return connection;
  const { apiUrl, projectsUrl } = connection.value;
  const warning = plainHttpSentence([apiUrl, projectsUrl]);
  if (warning !== null) context.output.say(warning);
  const client = createClient(await context.ports(), connection.value, null, observe);
  return ok({ connection: connection.value, client });
}

/** An error with words in plain text as the service's own. */
function asItsOwn(error: SluiceError): SluiceError {
  const { status, said = null, plain } = error.context;
  const isPlain = error.code === 'network.intercepted' && plain === true && said !== null;
  if (isPlain && status === 404) return sluiceError('service.notFound', { status, said });
  if (isPlain && (status === 400 || status === 422))
    return sluiceError('service.refused', { status, said });
  return error;
}

/**
 * A command that only asks the service; its work gets a client, an id, and the word after that. Plain text may be a proxy's, which matters
 * where it would prove that something is missing; to a person who asks once, it is the service's if that has answered properly before.
 */
export function asking(
  work: (context: CommandContext, client: ServiceClient, id: string, word: string) => End,
): Action {
  return async (context, [id = '', word = '']) => {
    let hasAnswered = false;
    const connected = await openClient(context, ({ accepted }) => (hasAnswered ||= accepted));
    if (!connected.ok) return connected;
    const end = await work(context, connected.value.client, id, word);
    return end.ok || !hasAnswered ? end : { ok: false, error: asItsOwn(end.error) };
  };
}

/** A command that gets no answer for this long at its start gives up (the contract). */
const START_PATIENCE_MS = 60_000;
const AGAIN_MS = 2_000;
/** An answer that takes longer is worth mentioning, in ms. */
const SLOW_ANSWER_MS = 4_000;

/** Causes that may pass while a command starts: the service has not been asked anything yet that it could refuse. */
const MAY_PASS: readonly ErrorCode[] = [...PASSING_WAITS, 'service.forbidden'];

const UNNAMED = 'the service does not name the workspace of the key: set SLUICE_WORKSPACE';

/** Something in place of the workspace comes from a proxy, or from a service that does not name the workspace. */
function withBothMeanings(error: SluiceError): SluiceError {
  const { untold, said } = error.context;
  if (untold !== true) return error;
  const meanings = [said, `or ${UNNAMED}`].filter((meaning) => meaning !== undefined);
  return { ...error, context: { ...error.context, said: meanings.join('; ') } };
}

/** What each command has reported that its start waits for: a long-running command asks at its start again and again. */
const reported = new WeakMap<Output, ErrorCode>();

function reportOnce(output: Output, error: SluiceError, pauseMs: number): void {
  if (reported.get(output) === error.code) return;
  reported.set(output, error.code);
  const { message } = explain(error);
  const when = pauseMs > AGAIN_MS ? 'in' : 'every';
  output.say(`${message} Sluice asks again ${when} ${Math.ceil(pauseMs / 1000)} seconds.`);
}

/** Asks for the workspace once, and says so when the service takes long to answer. */
async function askWorkspace(
  { clock, output, signal }: CommandContext,
  client: ServiceClient,
): Promise<Result<string>> {
  const answered = new AbortController();
  const waiting = AbortSignal.any([signal, answered.signal]);
  void clock.sleep(SLOW_ANSWER_MS, waiting).then(() => {
    if (!waiting.aborted) output.say('Waiting for the service to answer …');
  });
  const workspace = await client.workspace(signal);
  answered.abort();
  return workspace;
}

/**
 * The workspace of the key. Asks again for a minute if there is no answer. Errors: auth.rejected, service.forbidden, network.*,
 * usage.invalid when neither the service nor the user names it.
 */
export async function resolveWorkspace(
  context: CommandContext,
  client: ServiceClient,
): Promise<Result<string>> {
  const { clock } = context;
  const startedAt = clock.monotonicMs();
  for (;;) {
    const workspace = await askWorkspace(context, client);
    if (workspace.ok) return workspace;
    const { code } = workspace.error;
    // Prefer the service's own error text, such as where it redirects to.
    const isSilent = workspace.error.context['said'] === undefined;
    if (code === 'service.unexpectedAnswer' && isSilent) return usage(UNNAMED);
    const transient = workspace.error.next === 'retry' || MAY_PASS.includes(code);
    const patienceMs = startedAt + START_PATIENCE_MS - clock.monotonicMs();
    const error = withBothMeanings(workspace.error);
    if (!transient || patienceMs <= 0 || context.signal.aborted) {
      const { untold, plain } = error.context;
      return untold === true && plain === true ? usage(UNNAMED) : { ok: false, error };
    }
    const pauseMs = Math.max(AGAIN_MS, Math.min(error.retryAfterMs ?? 0, patienceMs));
    reportOnce(context.output, error, pauseMs);
    await clock.sleep(pauseMs, context.signal);
  }
}
