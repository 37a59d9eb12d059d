/**
 * Loaded before a program (node --import): caches Node's compiled and type-stripped code for the next start. In the project's own
 * directory rather than the shared temporary one, where others could plant code.
 */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compile'));
