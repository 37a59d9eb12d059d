import { afterEach, expect, test, vi } from 'vitest';
import { foundCommands } from '../../../../renderer/state/paletteEntries.ts';
import { searchPalette } from '../../../../renderer/text/paletteSearch.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

test('a camera whose names all begin alike has more files in the palette than fit it', async () => {
  const names = Array.from({ length: 60 }, (_, id) => `IMG_00${String(id)}.jpg`);
  const file = { kind: 'image', state: 'confirmed', batchId: 'cups' };
  const request = async (name: string, { limit }: { readonly limit: number }) => {
    const files = names.map((one, id) => ({ ...file, id, path: `/cups/${one}` }));
    const value = name === 'file.search' ? files.slice(0, limit) : { total: 0, rows: [] };
    return { ok: true, value };
  };
  vi.stubGlobal('window', { sluice: { request } });
  const found = await foundCommands('IMG_00');
  expect(searchPalette('IMG_00', found, 80)).toHaveLength(50);
});
