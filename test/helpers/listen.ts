/** Servers of tests, on this computer. */
import type { Server } from 'node:net';

/** Lets a server listen on a free port, and returns it. The test closes the server. */
export async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
