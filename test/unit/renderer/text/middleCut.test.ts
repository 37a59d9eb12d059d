import { describe, expect, it } from 'vitest';
import { middleCut } from '../../../../renderer/text/middleCut.ts';

const within = (most: number) => (shown: string) => [...shown].length <= most;

describe('a text that does not fit', () => {
  it('is whole when there is room', () => {
    expect(middleCut('/data/a.jpg', within(11))).toBe('/data/a.jpg');
  });

  it.each([
    ['/home/camera/data/line-4/incoming', 25, '/home/…/line-4/incoming'],
    ['/home/camera/data/line-4/incoming', 17, '/home/…/incoming'],
    ['/home/camera/data/line-4/incoming', 11, '…/incoming'],
    ['C:\\Users\\ann\\Pictures\\cups', 18, 'C:\\…\\Pictures\\cups'],
    ['cam-left/2026/IMG_00002.jpg', 19, '…/IMG_00002.jpg'],
  ])('keeps whole segments of a path: %s in %i', (path, most, shown) => {
    expect(middleCut(path, within(most))).toBe(shown);
  });

  it('marks the end of a path as one, also when that is cut', () => {
    expect(middleCut('/home/camera/west-station-line-4', within(14))).toBe('…/west…-line-4');
  });

  it('of a name keeps the end, which distinguishes it from its neighbours', () => {
    const cut = (name: string): string => middleCut(name, within(16));
    expect(cut('orchard-2026-vm-20261121-videos')).toBe('orchar…21-videos');
    expect(cut('orchard-2026-vm-20261121-2')).toBe('orchar…0261121-2');
  });

  it('never exceeds the space, and is at least an ellipsis', () => {
    for (let most = 1; most < 30; most++) {
      expect(
        [...middleCut('/a/very/long/path/of/segments.jpg', within(most))].length,
      ).toBeLessThanOrEqual(most);
    }
    expect(middleCut('name', within(1))).toBe('…');
  });
});
