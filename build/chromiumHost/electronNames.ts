/** Every name that `electron` exports as a value, as declared in electron.d.ts. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

function declaredNames(): readonly string[] {
  const path = createRequire(import.meta.url).resolve('electron/electron.d.ts');
  const text = readFileSync(path, 'utf8');
  const from = text.indexOf('namespace CrossProcessExports');
  const body = text.slice(from, text.indexOf('\n  }', from));
  const declared = body.matchAll(/^ {4}(?:const|class|function|let|var|enum) (\w+)/gm);
  return [...declared].map((match) => match[1] ?? '');
}

export const ELECTRON_NAMES = declaredNames();
