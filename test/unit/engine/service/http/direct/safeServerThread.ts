/** An encrypted server in a thread of its own: it answers while the thread that asked does nothing. Posts its port. */
import { createServer } from 'node:tls';
import { parentPort, workerData } from 'node:worker_threads';
import { TEST_CERTIFICATE, TEST_KEY } from '../../testCertificate.ts';

/** What the threads share: how many answers have left, and how many connections there were. */
const [answers, connections] = [0, 1];
const counts = new Int32Array(workerData);

const server = createServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, (socket) => {
  Atomics.add(counts, connections, 1);
  socket.on('error', () => undefined);
  socket.on('data', () => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok', () => {
      Atomics.add(counts, answers, 1);
      Atomics.notify(counts, answers);
    });
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  parentPort?.postMessage(typeof address === 'object' ? address?.port : null);
});
