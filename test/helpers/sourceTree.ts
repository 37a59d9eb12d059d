/** The project as the architecture rules see it: paths, texts, and what each source imports and exports. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';

/** A tracked text file; the path is relative to the project, with forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export interface ImportFact {
  readonly from: string;
  readonly specifier: string;
  /** Path in the project for a relative specifier, else null. */
  readonly target: string | null;
  readonly typeOnly: boolean;
}

const BINARY = /\.(jpe?g|png|webp|gif|ico|icns|mp4|webm|mov|tar|gz|zip|woff2?|bmp|pdf)$/i;

/** Every text file that git tracks or would track if added. */
export async function readProject(root: string): Promise<readonly SourceFile[]> {
  const { stdout } = await promisify(execFile)(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: root, maxBuffer: 1 << 26 },
  );
  const paths = [...new Set(stdout.split('\0'))].filter((path) => path && !BINARY.test(path));
  const files = await Promise.all(paths.map((path) => readOne(root, path)));
  return files.filter((file) => file !== null);
}

async function readOne(root: string, path: string): Promise<SourceFile | null> {
  try {
    return { path, text: await readFile(join(root, path), 'utf8') };
  } catch {
    // Deleted in the work tree, not yet in the index.
    return null;
  }
}

/** The script of a source: the text itself, or the content of a component's script tags. */
function scriptOf(file: SourceFile): string {
  if (!file.path.endsWith('.svelte')) return file.text;
  return [...file.text.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)]
    .map((match) => match[1] ?? '')
    .join('\n');
}

/** True for files whose imports the rules check. */
export function isSource(path: string): boolean {
  return /\.(ts|svelte|mjs|js|cts|mts)$/.test(path);
}

/** Cached, because several rules use them. The trees are not: collecting that much garbage late would take most of the time. */
const known = new WeakMap<SourceFile, readonly ImportFact[]>();

/** Everything a source imports, in any form. */
export function importsOf(file: SourceFile): readonly ImportFact[] {
  const found = known.get(file) ?? findImports(file);
  known.set(file, found);
  return found;
}

function findImports(file: SourceFile): readonly ImportFact[] {
  const tree = ts.createSourceFile(file.path, scriptOf(file), {
    languageVersion: ts.ScriptTarget.Latest,
    // Comments would take longer than everything else.
    jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
  });
  const found: ImportFact[] = [];
  // Declarations are at the top level; only these two can be nested.
  const mayBeDeep = /\b(import|require)\s*\(/.test(tree.text);
  const add = (specifier: ts.Node | undefined, typeOnly: boolean): void => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    found.push({
      from: file.path,
      specifier: specifier.text,
      target: resolveTarget(file.path, specifier.text),
      typeOnly,
    });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeOnlyImport(node));
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal, true);
    } else if (ts.isCallExpression(node) && isLoad(node.expression)) add(node.arguments[0], false);
    if (mayBeDeep || node === tree) ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function isLoad(callee: ts.Expression): boolean {
  if (callee.kind === ts.SyntaxKind.ImportKeyword) return true;
  return ts.isIdentifier(callee) && callee.text === 'require';
}

function isTypeOnlyImport(node: ts.ImportDeclaration): boolean {
  const clause = node.importClause;
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const bindings = clause.namedBindings;
  if (clause.name !== undefined || bindings === undefined || !ts.isNamedImports(bindings)) {
    return false;
  }
  return bindings.elements.length > 0 && bindings.elements.every((element) => element.isTypeOnly);
}

function resolveTarget(from: string, specifier: string): string | null {
  if (!specifier.startsWith('.')) return null;
  return posix.normalize(posix.join(posix.dirname(from), specifier.replace(/\?.*$/, '')));
}
