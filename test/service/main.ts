/**
 * The command `npm run service`: starts a reference service, prints `{"url": …}` as its first line, then one line for each
 * request, until it is ended. The lines never contain the key or a signature.
 */
import { parseArgs } from 'node:util';
import { CHARACTER_NAMES, isCharacterName } from './characters.ts';
import { createReferenceService, type ServiceOptions } from './referenceService.ts';
import type { LogEntry } from './requestLog.ts';
import { applySettings, STANDARD_SETTINGS, type Settings } from './settings.ts';

const USAGE = `Usage: npm run service -- [--port N] [--dialect spec|live] [--spec-only] [--latency MS] [--key KEY] [--workspace SLUG]
                          [--character NAME] [--set NAME=VALUE]... [--steady] [--quiet]
  --port N        port on 127.0.0.1 (default: any free one)
  --dialect D     spelling of the project paths (default: spec)
  --spec-only     only the specification's 18 operations
  --latency MS    waits before every request
  --character N   ${CHARACTER_NAMES.join(', ')}
  --set N=VALUE   a setting (test/service/settings.ts); wins over the character's
  --steady        indexing, queue and stages take seconds, as a real service does
  --quiet         no line per request
`;

function wholeNumber(text: string | undefined, name: string): number {
  const value = Number(text ?? 0);
  if (!Number.isInteger(value) || value < 0) throw new Error(`--${name} needs a whole number`);
  return value;
}

function readOptions(): { readonly service: ServiceOptions; readonly quiet: boolean } | null {
  const { values } = parseArgs({
    options: {
      port: { type: 'string' },
      dialect: { type: 'string' },
      'spec-only': { type: 'boolean' },
      latency: { type: 'string' },
      key: { type: 'string' },
      workspace: { type: 'string' },
      character: { type: 'string' },
      set: { type: 'string', multiple: true },
      steady: { type: 'boolean' },
      quiet: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return null;
  const dialect = values.dialect ?? 'spec';
  if (dialect !== 'spec' && dialect !== 'live') throw new Error('--dialect is spec or live');
  const character = values.character ?? 'quick';
  if (!isCharacterName(character)) throw new Error(`--character is ${CHARACTER_NAMES.join(', ')}`);
  const steady = { indexingMs: 1500, queueMs: 2000, stageMs: 8000, stageTicks: 16 };
  return {
    quiet: values.quiet === true,
    service: {
      port: wholeNumber(values.port, 'port'),
      latencyMs: wholeNumber(values.latency, 'latency'),
      dialect,
      specOnly: values['spec-only'] === true,
      ...(values.key === undefined ? {} : { apiKey: values.key }),
      ...(values.workspace === undefined ? {} : { workspace: values.workspace }),
      character,
      settings: { ...(values.steady === true ? steady : {}), ...settingsOf(values.set ?? []) },
    },
  };
}

function settingsOf(words: readonly string[]): Partial<Settings> {
  const wanted = words.map((word) => {
    const [name = '', ...rest] = word.split('=');
    return [name, valueOf(rest.join('='))] as const;
  });
  const changed = { ...STANDARD_SETTINGS };
  applySettings(changed, Object.fromEntries(wanted));
  const names = new Set(wanted.map(([name]) => name));
  return Object.fromEntries(Object.entries(changed).filter(([name]) => names.has(name)));
}

function valueOf(text: string): number | string | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** Names of query parameters are shown, but never values: a key and a signature are among them. */
function line(entry: LogEntry): string {
  const names = entry.queryNames.length === 0 ? '' : ` ?${entry.queryNames.join(',')}`;
  const size = entry.declaredBytes === null ? '' : ` ${entry.declaredBytes} bytes`;
  const fault = entry.fault === null ? '' : ` fault=${entry.fault}`;
  const ms = entry.durationMs.toFixed(1);
  return `${entry.method} ${entry.path}${names} → ${entry.status ?? 'no answer'}${size} ${ms} ms${fault}\n`;
}

async function main(): Promise<void> {
  const options = readOptions();
  if (options === null) {
    process.stdout.write(USAGE);
    return;
  }
  const service = await createReferenceService({
    ...options.service,
    ...(options.quiet ? {} : { onRequest: (entry) => process.stdout.write(line(entry)) }),
  });
  process.stdout.write(`${JSON.stringify({ url: service.url })}\n`);
  const stop = (): void => {
    service.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}

main().catch((problem: unknown) => {
  process.stderr.write(`${problem instanceof Error ? problem.message : String(problem)}\n${USAGE}`);
  process.exitCode = 2;
});
