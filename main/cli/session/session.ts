/** Owns the data directory for one command: the ledger, the connection, and a running pipeline that is stopped at the end. */
import type { Result } from '../../../preload/contract/errors.ts';
import { createClient, ensureConnection } from '../../engine/runner/connect.ts';
import { type Engine, openEngine } from '../../engine/host/engine.ts';
import { errorOf } from '../../engine/core/errors.ts';
import { STANDARD_TIMES } from '../../engine/core/limits.ts';
import { withShortageNoted } from '../../engine/runner/openFiles.ts';
import { openFolderSentence } from '../../engine/core/privateFiles.ts';
import {
  type RunnerOptions,
  type ConnectionRunner,
  startConnectionRunner,
} from '../../engine/runner/connectionRunner.ts';
import { exact } from '../terminal/shownText.ts';
import { type CommandContext, openClient, readConnection, resolveWorkspace } from './context.ts';
import type { Environment } from '../../engine/core/ports.ts';

export interface Session {
  readonly engine: Engine;
  readonly running: ConnectionRunner;
  readonly workspace: string;
  /** Whether the file of the key holds another key by now. */
  hasNewKey(): Promise<boolean>;
}

/** What a command calls itself as the owner of the data directory. */
export function ownerName(command: string): string {
  return `pid ${process.pid} (sluice ${command})`;
}

/** Shorter times for tests that run this program as a process: SLUICE_TEST_TIMES, JSON of ms by name, read only in NODE_ENV `test`. */
function testTimes(environment: Environment): NonNullable<RunnerOptions['times']> {
  if (environment['NODE_ENV'] !== 'test') return {};
  const given: unknown = JSON.parse(environment['SLUICE_TEST_TIMES'] ?? '{}');
  const named = new Map(Object.entries(typeof given === 'object' && given !== null ? given : {}));
  const times: Record<string, number> = {};
  for (const name of Object.keys(STANDARD_TIMES)) {
    const value: unknown = named.get(name);
    if (typeof value === 'number' && value >= 0) times[name] = value;
  }
  return times;
}

/**
 * Takes ownership of the data directory, starts a pipeline for the given batch ids, runs the work, and always stops everything. Errors:
 * store.owned, auth.rejected, network.*, usage.invalid, and those of the work.
 */
export async function withSession(
  context: CommandContext,
  owner: string,
  bases: readonly string[] | null,
  work: (session: Session) => Promise<Result<number>>,
): Promise<Result<number>> {
  const ports = await context.ports();
  const connected = await openClient(context);
  if (!connected.ok) return connected;
  const opened = openEngine(context.dataDirectory, ownerName(owner), ports);
  if (!opened.ok) return opened;
  const engine = opened.value;
  if (engine.salvage !== null) {
    context.output.say(
      `The ledger was damaged. It is kept as ${exact(engine.salvage.setAside)}; ${engine.salvage.rowsSaved} rows were saved from it.`,
    );
  }
  if (engine.folderIsOpen) context.output.say(openFolderSentence(context.dataDirectory));
  let running: ConnectionRunner | null = null;
  try {
    const workspace = await resolveWorkspace(context, connected.value.client);
    if (!workspace.ok) return workspace;
    const connection = { ...connected.value.connection, workspace: workspace.value };
    const connectionId = ensureConnection(engine.store, connection);
    const memory = { store: engine.store, connectionId };
    running = startConnectionRunner({
      ports: withShortageNoted(ports, engine.store, connectionId, context.output.say),
      store: engine.store,
      connectionId,
      createClient: (watched, observe) => createClient(watched, connection, memory, observe),
      bases,
      times: testTimes(context.environment),
    });
    const hasNewKey = async (): Promise<boolean> => {
      const read = await readConnection({
        ...context,
        output: { ...context.output, say: () => undefined },
      });
      return read.ok && read.value.apiKey !== connection.apiKey;
    };
    return await work({ engine, running, workspace: workspace.value, hasNewKey });
  } catch (thrown) {
    return { ok: false, error: errorOf(thrown) };
  } finally {
    await running?.stop();
    engine.close();
  }
}
