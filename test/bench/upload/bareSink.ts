/**
 * Takes what is sent to it and does nothing with it, in a process of its own: a bare socket that reads requests, counts the
 * bytes of their bodies, answers 200 when one is as long as declared, and breaks the connection where it is not. Prints its port.
 */
import { createServer, type Socket } from 'node:net';
import process from 'node:process';

const HEAD_END = '\r\n\r\n';
const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';

/** Takes one connection: request after request. */
function take(socket: Socket): void {
  let head = Buffer.alloc(0);
  /** Bytes of the body that are still to come; null: a head is read. */
  let left: number | null = null;
  /** Reads of a chunk what belongs to the request; answers the rest. */
  const step = (chunk: Buffer): Buffer => {
    if (left === null) {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf(HEAD_END);
      if (end < 0) return Buffer.alloc(0);
      const text = head.subarray(0, end).toString('latin1');
      const rest = head.subarray(end + HEAD_END.length);
      head = Buffer.alloc(0);
      left = Number(/^content-length: *(\d+)/im.exec(text)?.[1] ?? 0);
      if (/^expect: *100/im.test(text)) socket.write('HTTP/1.1 100 Continue\r\n\r\n');
      return step(rest);
    }
    const own = Math.min(left, chunk.length);
    left -= own;
    if (left > 0) return chunk.subarray(own);
    left = null;
    socket.write(ANSWER);
    return chunk.subarray(own);
  };
  socket.on('data', (chunk: Buffer) => {
    for (let rest = chunk; rest.length > 0;) rest = step(rest);
  });
  socket.on('error', () => socket.destroy());
}

const server = createServer(take);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});
process.on('SIGTERM', () => process.exit());
