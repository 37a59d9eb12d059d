import { describe, expect, it } from 'vitest';
import { formatRoute, parseRoute } from '../../../../renderer/state/route.ts';

describe('addresses inside the window', () => {
  it.each(['#/batches/cam-1', 'batches/cam-1', '/batches/cam-1/', 'sluice://batches/cam-1'])(
    'reads %s',
    (to) => {
      expect(parseRoute(to)).toEqual({ view: 'batches', id: 'cam-1', params: {} });
    },
  );

  it.each(['', '#', 'nothing/here', '../../etc', '__proto__'])('leads %j to Uploads', (to) => {
    expect(parseRoute(to)).toEqual({ view: 'uploads', id: null, params: {} });
  });

  it('reads what it wrote', () => {
    const route = { view: 'jobs', id: 'a/b ?#ü', params: { tab: 'logs', find: 'x&y=z' } } as const;
    expect(parseRoute(formatRoute(route))).toEqual(route);
  });

  it('survives an address that is cut in the middle of a letter', () => {
    expect(parseRoute('jobs/%E0%A4').id).toBe('%E0%A4');
  });
});
