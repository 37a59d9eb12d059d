import type { Result } from '../../../preload/contract/errors.ts';
import type { EngineHost } from '../../engine/host/host.ts';
import type { WorkingConnection } from '../../engine/host/workingConnection.ts';

/** Runs `work` on the selected connection. Errors: usage.invalid without one, auth.rejected without its key, else those of `work`. */
export async function withConnection<T>(
  host: EngineHost,
  work: (connection: WorkingConnection) => Promise<Result<T>> | Result<T>,
): Promise<Result<T>> {
  const connection = host.requireWorking();
  return connection.ok ? work(connection.value) : connection;
}
