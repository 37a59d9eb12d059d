/**
 * A service in a separate process that accepts whatever is sent and does nothing with it: it checks lengths, computes a checksum
 * as storages do, and lists names. Prints {"url": …, "plain": …}: its address, and one without encryption. `--latency MS` delays every
 * answer; with `--tls`, it is reached over encrypted connections.
 */
import { createServer, type Socket } from 'node:net';
import process from 'node:process';
import { createServer as createTlsServer } from 'node:tls';
import { portOf } from '../../helpers/listen.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../../unit/engine/service/testCertificate.ts';
import { createAnswers } from './batches.ts';
import { serve } from './httpStream.ts';

const latencyMs = Number(process.argv[process.argv.indexOf('--latency') + 1] ?? 0) || 0;
let url = '';
const answerTo = createAnswers(() => url);
const take = (socket: Socket): void => serve(socket, answerTo, latencyMs);
const plain = `http://127.0.0.1:${await portOf(createServer(take))}`;
const safeServer = createTlsServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, take);
url = process.argv.includes('--tls') ? `https://127.0.0.1:${await portOf(safeServer)}` : plain;
process.stdout.write(`${JSON.stringify({ url, plain })}\n`);
process.on('SIGTERM', () => process.exit());
