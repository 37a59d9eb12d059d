/**
 * A service in a separate process that accepts whatever is sent and does nothing with it: it checks lengths, computes a checksum
 * as storages do, and lists names. Prints {"url": …}. `--latency MS` delays every answer.
 */
import { createServer } from 'node:net';
import process from 'node:process';
import { createAnswers } from './batches.ts';
import { serve } from './httpStream.ts';

const latencyMs = Number(process.argv[process.argv.indexOf('--latency') + 1] ?? 0) || 0;
let url = '';
const answerTo = createAnswers(() => url);
const server = createServer((socket) => serve(socket, answerTo, latencyMs));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  process.stdout.write(`${JSON.stringify({ url })}\n`);
});
process.on('SIGTERM', () => process.exit());
