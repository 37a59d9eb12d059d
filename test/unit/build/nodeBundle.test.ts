/** What bundles do with Node's built-in modules. */
import { expect, test } from 'vitest';
import { takingBuiltInsDirectly } from '../../../build/nodeBundle.ts';

const TAKEN = (name: string): string => `globalThis.process.getBuiltinModule("${name}")`;

test.each([
  ['import fs from "node:fs";', `const fs = ${TAKEN('node:fs')};`],
  ['import * as path$1 from "node:path";', `const path$1 = ${TAKEN('node:path')};`],
  [
    'import { join, resolve as resolve$1 } from "node:path/posix";',
    `const { join, resolve: resolve$1 } = ${TAKEN('node:path/posix')};`,
  ],
  [
    'import fs, { statSync } from "node:fs";',
    `const fs = ${TAKEN('node:fs')}; const { statSync } = ${TAKEN('node:fs')};`,
  ],
  [
    'import child from "node:child_process";',
    `const child = new Proxy({}, { get: (_, name) => ${TAKEN('node:child_process')}[name] });`,
  ],
  [
    'import { gunzipSync, inflateSync as inflate } from "node:zlib";',
    `const gunzipSync = (...given) => ${TAKEN('node:zlib')}.gunzipSync(...given); const inflate = (...given) => ${TAKEN('node:zlib')}.inflateSync(...given);`,
  ],
  ['import { ok } from "./errors.js";', 'import { ok } from "./errors.js";'],
  ['  text = \'import fs from "node:fs";\'', '  text = \'import fs from "node:fs";\''],
])('%s', (code, expected) => {
  expect(takingBuiltInsDirectly(`${code}\nend();`)).toBe(`${expected}\nend();`);
});

test.each(['Gunzip', 'constants'])('%s of a module that is taken later is no function', (name) => {
  expect(() => takingBuiltInsDirectly(`import { ${name} } from "node:zlib";`)).toThrow(name);
});
