import { expect, test } from 'vitest';
import { routesOfPac } from '../../../../main/engine/core/proxyRoutes.ts';

test.each([
  ['PROXY proxy.example:3128; DIRECT', ['http://proxy.example:3128', null]],
  [
    'HTTPS proxy.example:443;SOCKS5 s.example:1080',
    ['https://proxy.example:443', 'socks5://s.example:1080'],
  ],
  ['SOCKS s.example:1080', ['socks5://s.example:1080']],
  ['DIRECT; PROXY a:1', [null, 'http://a:1']],
  ['QUIC a:1; direct', [null]],
  ['PROXY', []],
  ['', []],
])('%s', (answer, routes) => {
  expect(routesOfPac(answer)).toEqual(routes);
});
