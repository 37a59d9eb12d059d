import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../../../../main/cli/commands.ts';
import { COMMANDS } from '../../../../main/cli/options/pages.ts';
import { contextOf } from '../commandContext.ts';

const run = promisify(execFile);

/** What `sluice completion <words>` prints; its exit code when it fails. */
async function script(...words: string[]): Promise<string> {
  let printed = '';
  const context = contextOf(words, {}, (text) => (printed += text));
  const end = await runCommand('completion', context);
  return end.ok ? printed : end.error.code;
}

/** Bash's completions for a line; the last word is the one being typed. */
async function offers(bash: string, line: readonly string[]): Promise<readonly string[]> {
  const ask = `${bash}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sluice; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run('bash', ['-c', ask, 'bash', ...line]);
  return stdout.trim().split('\n');
}

describe('in bash', () => {
  let bash = '';
  beforeAll(async () => {
    bash = await script('bash');
  });

  test.each([
    [['sluice', 'fol'], ['folder']],
    [['sluice', 'ann'], ['annotation-job']],
    [
      ['sluice', 'batch', ''],
      ['list', 'count', 'shards', 'parts', 'files', 'download', 'receipt'],
    ],
    [['sluice', 'project', 't'], ['trend']],
    [['sluice', 'folder', 'move', 'p', '--t'], ['--to']],
    [['sluice', 'doctor', '--api-k'], ['--api-key-file']],
    [['sluice', 'no-command', 'x'], ['']],
    [['sluice', 'upload', 'x'], ['']],
    [['sluice', 'help', 'fol'], ['folder']],
    [['sluice', 'help', 'watch', 'a'], ['add']],
    [
      ['sluice', 'upload', 'x', '--mode', ''],
      ['auto', 'single', 'bulk'],
    ],
    [['sluice', 'watch', 'add', '/x', '--kinds', 'v'], ['videos']],
    [
      ['sluice', 'batch', 'files', 'b', '--p'],
      ['--part', '--projects-url'],
    ],
    [['sluice', 'batch', 'list', '--pa'], ['']],
    [
      ['sluice', 'completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['sluice', 'doctor', ''], ['']],
    [['sluice', '--vers'], ['--version']],
    [['sluice', 'upload', 'x', '--batch', ''], ['']],
  ])('%j offers %j', async (line, offered) => {
    expect(await offers(bash, line)).toEqual(offered);
  });

  test('every command is offered', async () => {
    expect(await offers(bash, ['sluice', ''])).toEqual([...Object.keys(COMMANDS), 'help']);
  });
});

test('zsh and fish get every command and nothing that is hidden', async () => {
  for (const shell of ['zsh', 'fish']) {
    const text = await script(shell);
    for (const name of Object.keys(COMMANDS)) expect(text).toContain(name);
    expect(text).not.toContain('[hidden]');
  }
});

test('fish offers files only where a command takes a path', async () => {
  const lines = (await script('fish')).split('\n');
  const without = (name: string) => lines.some((line) => line.includes(` -f -a ${name} `));
  expect(['upload', 'receipt', 'zsh', 'preview'].map(without)).toEqual([true, true, true, false]);
});

test.each([[[]], [['tcsh']], [['constructor']]])('%j is wrong usage', async (words) => {
  expect(await script(...words)).toBe('usage.invalid');
});
