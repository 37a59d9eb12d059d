/** Webhooks: the reference service really sends them, a hint leads to confirmation, and other senders are ignored. */
import { connect } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Hint } from '../../main/engine/core/hints.ts';
import { redact } from '../../main/engine/core/redact.ts';
import type { ConnectionRunner } from '../../main/engine/runner/connectionRunner.ts';
import { readPublicUrl } from '../../main/engine/settings/engineSettings.ts';
import {
  newSecretPath,
  notificationFor,
  startWebhookReceiver,
} from '../../main/engine/webhooks/receiver.ts';
import { systemRandom } from '../../main/nodePorts.ts';
import { newKey } from './apiKey.ts';
import { createWorld } from './world.ts';

const SECRET = newSecretPath(systemRandom);
const EVENT = {
  type: 'roboflow-batch-job-notification-v1',
  event_id: 'e-1',
  job_id: 'job-1',
  job_state: 'success',
  delivery_attempt: 1,
};

async function receive(onHint: (hint: Hint) => void = () => undefined) {
  const hints: Hint[] = [];
  const started = await startWebhookReceiver({
    bindAddress: '127.0.0.1',
    port: 0,
    secretPath: SECRET,
    onHint: (hint) => {
      hints.push(hint);
      onHint(hint);
    },
  });
  if (!started.ok) throw new Error(started.error.code);
  onTestFinished(() => started.value.stop());
  return { receiver: started.value, hints, url: `http://127.0.0.1:${started.value.port}` };
}

function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: text,
  });
}

/** What an answer says, without the time. */
async function told(answer: Response): Promise<unknown> {
  const headers = [...answer.headers].filter(([name]) => name !== 'date');
  return [answer.status, headers, await answer.text()];
}

/** Sends bytes and returns everything received until the connection is closed. */
function raw(port: number, text: string, end = false): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let heard = '';
    socket.on('data', (bytes) => {
      heard += bytes.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(heard));
    socket.write(text);
    if (end) socket.end();
  });
}

test('a hint that cannot be followed ends nothing', async () => {
  const { hints, url } = await receive(() => {
    throw new Error('the ledger is damaged');
  });
  for (const id of ['e-1', 'e-2']) {
    const answer = await post(`${url}/${SECRET}`, { ...EVENT, event_id: id });
    expect(answer.status).toBe(204);
  }
  await vi.waitFor(() => expect(hints).toHaveLength(2));
});

test('a hint brings the confirmation that asking again would bring only after an hour', async () => {
  const world = await createWorld({
    service: { apiKey: newKey(), settings: { indexingMs: 400 } },
    times: { confirmFirstMs: 3_600_000, confirmMaxMs: 3_600_000 },
  });
  await world.local.writeImages(5);
  let running: ConnectionRunner | null = null;
  const { hints, url } = await receive((hint) => running?.hint(hint));
  const { tally } = await world.upload({
    mode: 'bulk',
    notification: notificationFor(url, SECRET, 'ingest-1'),
    onProgress: (line) => {
      running = line;
    },
  });
  expect(tally).toMatchObject({ confirmed: 5, attention: 0 });
  expect(hints).toContainEqual({ batchId: 'batch-1' });
  // Three checks before anything is sent, one after it, the hint's, and the one that finds out how the key may be sent.
  expect(world.requestCount('GET', /\/count$/)).toBeLessThanOrEqual(7);
  await world.expectExactlyOnce({ allConfirmed: true });
  await world.expectNoSecrets();
});

test('events that arrive twice are reported once', async () => {
  const world = await createWorld({ service: { settings: { webhooks: 'twice' } } });
  await world.local.writeImages(3);
  const { hints, url } = await receive();
  await world.upload({ mode: 'bulk', notification: notificationFor(url, SECRET, 'ingest-1') });
  await world.service.clock.advance(1000);
  expect(world.service.state.webhooks.map(({ status }) => status)).toEqual([204, 204, 204, 204]);
  expect(hints).toHaveLength(2);
});

test('a flood of hints is not passed on to the service', async () => {
  const world = await createWorld({ service: { settings: { indexingMs: 600 } } });
  await world.local.writeImages(3);
  const counted: number[] = [];
  const { tally } = await world.upload({
    mode: 'bulk',
    times: { confirmFirstMs: 3_600_000, confirmMaxMs: 3_600_000 },
    onProgress: (line) => {
      for (let times = 0; times < 500; times += 1) {
        line.hint({ batchId: 'batch-1' });
        line.hint({ batchId: `other-${times}` });
      }
      counted.push(world.requestCount('GET', /\/count$/));
    },
  });
  expect(tally.confirmed).toBe(3);
  // Hinted 500 times at each of these checks, it asked less than once per check.
  expect(counted.length).toBeGreaterThan(3);
  expect(world.requestCount('GET', /\/count$/)).toBeLessThanOrEqual(counted.length);
});

test('a sender that does not know the path always gets the same empty answer, and changes nothing', async () => {
  const { hints, url } = await receive();
  const right = `${url}/${SECRET}`;
  const nothing = await told(await fetch(url));
  expect(nothing).toMatchObject([404, expect.anything(), '']);
  const wrong = [
    () => post(url, EVENT),
    () => post(`${url}/${SECRET.slice(0, -1)}`, EVENT),
    () => post(`${url}/${SECRET}x`, EVENT),
    () => post(`${url}/?${SECRET}`, EVENT),
    () => post(`${url}/x#${SECRET}`, EVENT),
    () => post(`${right}/`, EVENT),
    () => fetch(right),
    () => fetch(right, { method: 'DELETE' }),
    () => fetch(right, { method: 'PUT', body: JSON.stringify(EVENT) }),
    () => post(right, EVENT, { 'content-type': 'text/plain' }),
    () => post(right, EVENT, { 'content-encoding': 'gzip' }),
    () => post(right, 'no json'),
    () => post(right, ''),
    () => post(right, '[]'),
    () => post(right, { ...EVENT, type: 'other' }),
    () => post(right, { ...EVENT, event_id: null }),
  ];
  for (const ask of wrong) expect(await told(await ask())).toEqual(nothing);
  expect(hints).toEqual([]);
  expect((await post(right, EVENT)).status).toBe(204);
  expect((await post(`${url}/behind/a/proxy/${SECRET}?x=1`, EVENT)).status).toBe(204);
});

test('huge input or input that is not HTTP is cut off, and earlier events are still processed', async () => {
  const { receiver, hints, url } = await receive();
  const { port } = receiver;
  const head = `POST /${SECRET} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
  const answers = [
    await raw(port, `${head}Content-Length: 65537\r\n\r\n{`),
    await raw(port, `${head}Transfer-Encoding: chunked\r\n\r\nfffff\r\n${'x'.repeat(0xfffff)}\r\n`),
    await raw(port, `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
    await raw(port, 'not http at all\r\n\r\n'),
    await raw(port, `${head}Expect: magic\r\nContent-Length: 2\r\n\r\n{}`),
    await raw(port, `${head}Content-Length: 100\r\n\r\n{"cut":`, true),
  ];
  for (const answer of answers) expect(answer).toMatch(/^(HTTP\/1\.1 404 Not Found\r\n|$)/);
  expect(hints).toEqual([]);
  expect((await post(`${url}/${SECRET}`, EVENT)).status).toBe(204);
});

test('a sender that never finishes is turned away', async () => {
  const { receiver, url } = await receive();
  const head = `POST /${SECRET} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
  const answers = await Promise.all([
    raw(receiver.port, 'POST /'),
    raw(receiver.port, `${head}Content-Length: 100\r\n\r\n{`),
  ]);
  for (const answer of answers) expect(answer).toMatch(/^(HTTP\/1\.1 404 Not Found\r\n|$)/);
  expect((await post(`${url}/${SECRET}`, EVENT)).status).toBe(204);
});

test('more connections than it takes are dropped, and it stops with all of them', async () => {
  const { receiver } = await receive();
  const open = Array.from({ length: 100 }, () => raw(receiver.port, 'POST /'));
  // The first to be answered at all are those over the limit.
  await Promise.any(open);
  await receiver.stop();
  expect(await Promise.all(open)).toHaveLength(100);
});

test('a port in use, a foreign address and a short secret are reported', async () => {
  const { receiver } = await receive();
  const options = { bindAddress: '127.0.0.1', secretPath: SECRET, onHint: () => undefined };
  const error = (said: unknown, code = 'usage.invalid') => ({
    ok: false,
    error: { code, context: { said } },
  });
  expect(await startWebhookReceiver({ ...options, port: receiver.port })).toMatchObject(
    error(`port ${receiver.port} is taken by another program`),
  );
  expect(
    await startWebhookReceiver({ ...options, port: 0, bindAddress: '192.0.2.1' }),
  ).toMatchObject(error('192.0.2.1 is not an address of this computer', 'net.offline'));
  expect(await startWebhookReceiver({ ...options, port: 0, secretPath: 'short' })).toMatchObject(
    error('the secret path has under 32 characters'),
  );
});

test('the public address is one that can be given out', () => {
  expect(readPublicUrl('https://hooks.example/sluice/')).toEqual({
    ok: true,
    value: 'https://hooks.example/sluice',
  });
  for (const text of [
    'hooks.example',
    'ftp://x',
    'https://a:b@x',
    'https://x/?q=1',
    'https://x#f',
    'http://hooks.example/sluice',
  ]) {
    expect(readPublicUrl(text)).toMatchObject({ ok: false, error: { code: 'usage.invalid' } });
  }
  for (const text of ['http://127.0.0.1:8080/hooks', 'http://localhost', 'http://[::1]:1']) {
    expect(readPublicUrl(text)).toMatchObject({ ok: true });
  }
  expect(JSON.parse(notificationFor('https://hooks.example', SECRET, 'i1'))).toEqual({
    ingestId: 'i1',
    notificationsURL: `https://hooks.example/${SECRET}`,
  });
  expect(redact(notificationFor('https://hooks.example', SECRET, 'i1'))).not.toContain(SECRET);
});
