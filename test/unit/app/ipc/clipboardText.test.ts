import { expect, test } from 'vitest';
import { clipboardText } from '../../../../main/app/ipc/clipboardText.ts';

test.skipIf(process.platform === 'win32')(
  'a path that is not text is copied as it is shown; line breaks and all text stay',
  () => {
    expect(clipboardText('/data/gr\uefe9n.jpg\n/data/größe \u202e.jpg')).toBe(
      '/data/gr\\xe9n.jpg\n/data/größe \u202e.jpg',
    );
    expect(clipboardText('/data/a\nb.jpg')).toBe('/data/a\nb.jpg');
  },
);
