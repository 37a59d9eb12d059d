/** An update of undici that moves its parts is noticed here, not by a user. */
import * as undici from 'undici';
import { expect, test } from 'vitest';
import { Pool, ProxyAgent } from '../../../../../main/engine/service/http/dispatchers.ts';

test('the parts are those of the entry', () => {
  expect(Pool).toBe(undici.Pool);
  expect(ProxyAgent).toBe(undici.ProxyAgent);
});
