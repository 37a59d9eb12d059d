/** Detects an undici update that changes its internals, before a user does. */
import * as undici from 'undici';
import { expect, test } from 'vitest';
import { Pool, ProxyAgent } from '../../../../../main/engine/service/http/dispatchers.ts';

test('the parts are those of the entry', () => {
  expect(Pool).toBe(undici.Pool);
  expect(ProxyAgent).toBe(undici.ProxyAgent);
});
