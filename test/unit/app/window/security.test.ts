/** Electron's security checklist: the table in docs/window-security.md matches the code, and nothing contradicts it. */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BUNDLES, DEV_BUNDLE } from '../../../../build/bundles.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const textOf = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8');

/** Every `file` of the page with the names that follow it. */
async function places(): Promise<readonly (readonly [string, readonly string[]])[]> {
  const page = await textOf('docs/window-security.md');
  const cells = page.split('\n').map((line) => line.split('|').at(-2) ?? line);
  return cells
    .flatMap((cell) => cell.match(/`[\w/.-]+\.(?:ts|json|yml)`(?:,? `\w+`)+/g) ?? [])
    .map((found) => found.split('`').filter((_part, at) => at % 2 === 1))
    .map(([file = '', ...names]) => [file, names] as const);
}

test('the table has the twenty points, and each name is where it says', async () => {
  const page = await textOf('docs/window-security.md');
  for (let point = 1; point <= 20; point += 1) expect(page).toContain(`\n| ${point} `);
  const all = await places();
  expect(all.length).toBeGreaterThan(20);
  for (const [file, names] of all) {
    const text = await textOf(file);
    const isCode = file.endsWith('.ts');
    for (const name of names) {
      const defined = isCode
        ? new RegExp(`(?:function|const|interface) ${name}\\b|\\.${name}\\(`)
        : new RegExp(`\\b${name}\\b"?:`);
      expect(text, `${file} ${name}`).toMatch(defined);
    }
  }
});

test('the window is created with every safe preference, stated explicitly', async () => {
  const text = await textOf('main/app/window/window.ts');
  const wanted = {
    sandbox: true,
    contextIsolation: true,
    webSecurity: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    webviewTag: false,
  };
  for (const [name, value] of Object.entries(wanted)) expect(text).toContain(`${name}: ${value},`);
});

test('nothing that ships weakens them elsewhere', async () => {
  const files = globSync('{main/app,preload,renderer}/**/*.{ts,svelte,html}', { cwd: ROOT });
  expect(files.length).toBeGreaterThan(100);
  for (const file of files) {
    const text = await textOf(file);
    expect(text, file).not.toMatch(
      /enableBlinkFeatures|<webview|innerHTML|\{@html|file:\/\/|unsafe-/,
    );
    expect(text, file).not.toMatch(/nodeIntegration\w*: true|sandbox: false|webSecurity: false/);
    if (file !== 'main/app/window/window.ts')
      expect(text, file).not.toMatch(/new BrowserWindow|loadURL/);
    if (file !== 'main/app/ipc/application.ts') expect(text, file).not.toContain('openExternal');
  }
});

test('the fuses are set, and every address that may be opened is https', async () => {
  const builder = await textOf('electron-builder.yml');
  const fuses = {
    runAsNode: false,
    enableCookieEncryption: true,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    enableEmbeddedAsarIntegrityValidation: true,
    onlyLoadAppFromAsar: true,
    grantFileProtocolExtraPrivileges: false,
  };
  for (const [name, on] of Object.entries(fuses)) expect(builder).toContain(`  ${name}: ${on}`);
  const links = (await textOf('main/app/ipc/application.ts')).match(/LINKS = \{[^}]*\}/)?.[0] ?? '';
  expect(links.match(/'https:\/\/docs\.roboflow\.com\/[a-z/-]+'/g)).toHaveLength(2);
  expect(links.match(/'\w+:/g)).toHaveLength(2);
});

test('what relaxes the policy for development is in no bundle that ships', async () => {
  const builder = await textOf('electron-builder.yml');
  for (const place of ['dev', 'dev-cache']) expect(builder).toContain(`  - '!out/${place}/**'\n`);
  const files = globSync('{main,preload,renderer}/**/*.{ts,svelte,html}', { cwd: ROOT });
  const configs = BUNDLES.map(({ config }) => `build/${config}`);
  expect(configs).not.toContain(`build/${DEV_BUNDLE.config}`);
  for (const file of [...files, ...configs, 'build/nodeBundle.ts']) {
    expect(await textOf(file), file).not.toMatch(/SLUICE_DEV|build\/dev|\.\/dev\//);
  }
});
