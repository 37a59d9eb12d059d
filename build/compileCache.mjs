/**
 * Loaded before a program (node --import): what Node compiled and stripped of types is kept for the next start. In the project's own
 * directory, not in the shared temporary one, where others could plant code.
 */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compile'));
