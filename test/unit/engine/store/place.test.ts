/** Whether a ledger is still where it was opened. */
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createPlaceCheck } from '../../../../main/engine/store/place.ts';
import { scratch } from '../../../helpers/scratch.ts';

test.skipIf(process.platform === 'win32')(
  'a drive that could not tell at first which file was opened proves nothing later',
  () => {
    const path = join(scratch(), 'ledger.db');
    symlinkSync(path, path);
    const check = createPlaceCheck(path);
    rmSync(path);
    writeFileSync(path, '');
    expect(check).not.toThrow();
  },
);
