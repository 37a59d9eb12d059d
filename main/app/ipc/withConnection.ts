import type { Result } from '../../../preload/contract/errors.ts';
import type { EngineHost } from '../../engine/host/host.ts';
import type { WorkingConnection } from '../../engine/host/workingConnection.ts';

/**
 * Makes handlers whose work is about the selected connection. Errors: usage.invalid without one, auth.rejected without its key, else
 * those of the work.
 */
export function withConnection(host: EngineHost) {
  return <Input, T>(
    work: (connection: WorkingConnection, input: Input) => Promise<Result<T>> | Result<T>,
  ) =>
    async (input: Input): Promise<Result<T>> => {
      const connection = host.requireWorking();
      return connection.ok ? work(connection.value, input) : connection;
    };
}
