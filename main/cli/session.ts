/** A data directory taken for one command: the ledger, the connection, and a running line that is stopped at the end. */
import type { Result } from '../../preload/contract/errors.ts';
import { connectionRow, createClient } from '../engine/runner/connect.ts';
import { type Engine, openEngine } from '../engine/host/engine.ts';
import { errorOf } from '../engine/core/errors.ts';
import { withShortageNoted } from '../engine/runner/openFiles.ts';
import { openFolderSentence } from '../engine/core/privateFiles.ts';
import { type ConnectionRunner, startConnectionRunner } from '../engine/runner/connectionRunner.ts';
import { type CommandContext, openClient, resolveWorkspace } from './context.ts';
import { exact } from './shownText.ts';
import { lineWishes } from '../engine/runner/liveSettings.ts';
import { testTimes } from './testTimes.ts';

export interface Session {
  readonly engine: Engine;
  readonly running: ConnectionRunner;
  readonly workspace: string;
}

/**
 * Takes the data directory and starts a line for the given batch ids, runs the work, and stops everything whatever
 * happens. Errors: store.owned, auth.rejected, network.*, usage.invalid, and what the work answers.
 */
export async function withSession(
  context: CommandContext,
  who: string,
  bases: readonly string[] | null,
  work: (session: Session) => Promise<Result<number>>,
): Promise<Result<number>> {
  const ports = context.ports();
  const connected = openClient(context);
  if (!connected.ok) return connected;
  const opened = openEngine(context.dataDirectory, `pid ${process.pid} (sluice ${who})`, ports);
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
    const connectionId = connectionRow(engine.store, connection, workspace.value);
    const memory = { store: engine.store, connectionId };
    running = startConnectionRunner({
      ports: withShortageNoted(ports, engine.store, connectionId, context.output.say),
      store: engine.store,
      connectionId,
      createClient: (watched, observe) => createClient(watched, connection, memory, observe),
      bases,
      ...lineWishes(engine.store, ports.clock),
      times: testTimes(context.environment),
    });
    return await work({ engine, running, workspace: workspace.value });
  } catch (thrown) {
    return { ok: false, error: errorOf(thrown) };
  } finally {
    await running?.stop();
    engine.close();
  }
}
