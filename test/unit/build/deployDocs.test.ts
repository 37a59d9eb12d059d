/** What docs/deploy tells people to type is what the program takes, and what it says of metrics is what there is. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS, optionsOf } from '../../../main/cli/table/pages.ts';
import { readArguments } from '../../../main/cli/terminal/args.ts';

const FOLDER = join(import.meta.dirname, '../../../docs/deploy');
const METRICS = join(import.meta.dirname, '../../../main/engine/status/metrics.ts');

/** Command lines in code blocks and scripts; a line that ends in \ goes on. */
function commandsIn(text: string): readonly string[] {
  const lines = text.replaceAll(/\\\n\s*/g, '').split('\n');
  return lines.flatMap((line) => {
    const found = /(?:^|\s)sluice ((?:[a-z-]+) .*)$/.exec(line.replace(/\s+#.*$/, ''));
    const isProse = line.includes('`') || line.startsWith('|') || /^\s*(?:\/\/|#)/.test(line);
    return found?.[1] === undefined || isProse ? [] : [found[1].replace(/ [>|&].*$/, '')];
  });
}

async function documents(): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(FOLDER)).filter((name) => /\.(md|sh)$/.test(name));
  const read = async (name: string) => [name, await readFile(join(FOLDER, name), 'utf8')] as const;
  return new Map(await Promise.all(names.map(read)));
}

test('every command is one that sluice takes', async () => {
  const commands = [...(await documents())].flatMap(([name, text]) =>
    commandsIn(text).map((line) => [name, line] as const),
  );
  expect(commands.length).toBeGreaterThan(5);
  for (const [name, line] of commands) {
    const [command = '', ...rest] = line.replaceAll(/['"]/g, '').split(/\s+/);
    const known = COMMANDS[command];
    expect(known, `${name}: ${line}`).toBeDefined();
    if (known === undefined) continue;
    expect(readArguments(rest, optionsOf(known)).ok, `${name}: ${line}`).toBe(true);
  }
});

test('metrics in the page, the alerts and the dashboard are made by the program', async () => {
  const source = await readFile(METRICS, 'utf8');
  const made = new Set([...source.matchAll(/'(sluice_[a-z_]+)'/g)].map(([, name]) => name));
  for (const name of ['metrics.md', 'grafana-dashboard.json']) {
    const text = await readFile(join(FOLDER, name), 'utf8');
    const used = [...text.matchAll(/sluice_[a-z_]+/g)].map(([one]) =>
      one.replace(/_(total|info)$/, ''),
    );
    expect(used.length).toBeGreaterThan(5);
    expect(used.filter((one) => !made.has(one))).toEqual([]);
  }
});
