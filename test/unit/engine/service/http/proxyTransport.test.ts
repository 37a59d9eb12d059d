/** Detects an undici update that changes its internals, before a user does. */
import * as undici from 'undici';
import { expect, test } from 'vitest';
import { ProxyAgent } from '../../../../../main/engine/service/http/proxyTransport.ts';

test('the part is that of the entry', () => {
  expect(ProxyAgent).toBe(undici.ProxyAgent);
});
