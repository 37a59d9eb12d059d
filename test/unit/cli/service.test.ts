/** `sluice service`: what is written for each system, and which of its commands are run. */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { serviceActions, type ServiceDeps } from '../../../main/cli/commands/service.ts';
import { type CommandLine, serviceUnit, typedCommand } from '../../../main/cli/run/serviceUnit.ts';
import type { CommandContext } from '../../../main/cli/session/context.ts';
import { COMMANDS, optionsOf } from '../../../main/cli/options/pages.ts';
import { scratch } from '../../helpers/scratch.ts';
import { contextOf } from './commandContext.ts';

const run = promisify(execFile);
const ODD: CommandLine = ['/opt/a "b"/node', '/srv/100% $HOME\\x.js', 'watch', 'run'];

function unit(platform: NodeJS.Platform, command: CommandLine = ODD) {
  const place = {
    platform,
    home: '/home/me',
    environment: {},
    userId: 501,
    dataDirectory: 'C:\\data',
  };
  return serviceUnit(place, command);
}

describe('what is written', () => {
  test('a systemd unit takes every character as it is', async () => {
    const text = unit('linux')?.text ?? '';
    expect(text).toContain(
      'ExecStart="/opt/a \\"b\\"/node" "/srv/100%% $$HOME\\\\x.js" "watch" "run"\n',
    );
    expect(text).toContain('\nEnvironment=MALLOC_ARENA_MAX=1\n');
    const { stdout: checker } = await run('sh', ['-c', 'command -v systemd-analyze || true']);
    if (checker === '') return;
    const path = join(scratch(), 'sluice.service');
    await writeFile(path, unit('linux', [process.execPath, '/a $b %c.js'])?.text ?? '');
    const { stderr } = await run('systemd-analyze', ['verify', '--man=no', path]);
    expect(stderr).not.toContain('sluice.service');
  });

  test('a launch agent', () => {
    const agent = unit('darwin', ['/opt/node', 'a & <b>']);
    expect(agent?.path).toBe('/home/me/Library/LaunchAgents/com.sluice.watch.plist');
    expect(agent?.text).toContain(
      '    <string>/opt/node</string>\n    <string>a &amp; &lt;b&gt;</string>\n',
    );
    expect(agent?.install[0]).toEqual(['launchctl', 'bootstrap', 'gui/501', agent?.path]);
    expect(agent?.replace).toEqual([['launchctl', 'bootout', 'gui/501/com.sluice.watch']]);
  });

  test('a scheduled task', () => {
    const task = unit('win32', ['C:\\node.exe', 'C:\\a b\\', 'say "x"']);
    expect(task?.text).toContain('<Command>C:\\node.exe</Command>');
    expect(task?.text).toContain('<Arguments>"C:\\a b\\\\" "say \\"x\\""</Arguments>');
    expect(task?.install[0]).toEqual([
      'schtasks',
      '/Create',
      '/F',
      '/XML',
      'C:\\data\\service.xml',
      '/TN',
      'Sluice',
    ]);
    expect(task?.replace).toEqual([['schtasks', '/End', '/TN', 'Sluice']]);
  });

  test('a command that a person has to type is quoted where it must be', async () => {
    const words = ['printf', '%s\n', 'a b', "it's", '$HOME', 'c\\d', 'gui/501'] as const;
    const { stdout } = await run('sh', ['-c', typedCommand('linux', words)]);
    expect(stdout.split('\n')).toEqual([...words.slice(2), '']);
    expect(typedCommand('darwin', ['launchctl', 'print', 'gui/501/a'])).toBe(
      'launchctl print gui/501/a',
    );
    expect(typedCommand('win32', ['schtasks', '/XML', 'C:\\a b\\service.xml'])).toBe(
      'schtasks /XML "C:\\a b\\service.xml"',
    );
  });

  test('nothing where it is not known how', () => {
    expect(unit('freebsd')).toBeNull();
  });
});

describe('the command', () => {
  /** A Linux computer whose system answers `wrong` to the commands that contain its key. */
  async function computer(wrong: Readonly<Record<string, string>> = {}) {
    const home = scratch();
    const ran: string[] = [];
    const said: string[] = [];
    const deps: ServiceDeps = {
      platform: 'linux',
      home,
      userId: 1000,
      program: ['/opt/node', '/opt/cli.js'],
      run: (command) => {
        const line = command.join(' ');
        ran.push(line);
        return Promise.resolve(
          Object.entries(wrong).find(([part]) => line.includes(part))?.[1] ?? null,
        );
      },
    };
    await mkdir(join(home, 'keys'));
    await writeFile(join(home, 'keys/one'), 'a-key\n', { mode: 0o600 });
    const sluice = async (...words: string[]): Promise<unknown> => {
      const [sub = '', ...rest] = words;
      const spec = COMMANDS['service'];
      const context: CommandContext = {
        ...contextOf(
          rest,
          spec === undefined ? {} : optionsOf(spec),
          (text) => said.push(text),
          true,
        ),
        environment: { SLUICE_WORKSPACE: 'demo' },
        dataDirectory: '/data',
      };
      const end = await serviceActions(deps)[sub]?.(context, []);
      if (end?.ok !== true) return end?.error.context;
      return { code: end.value, ...JSON.parse(said.at(-1) ?? '{}').data };
    };
    return { home, ran, sluice, key: join(home, 'keys/one') };
  }

  test('installs, reports and removes', async () => {
    const { home, ran, sluice, key } = await computer();
    const path = join(home, '.config/systemd/user/sluice.service');
    expect(await sluice('install', '--api-key-file', key)).toEqual({
      code: 0,
      installed: true,
      running: true,
      path,
    });
    expect(ran.map((line) => line.split(' ').slice(2).join(' '))).toEqual([
      ...['daemon-reload', 'enable sluice.service', 'restart sluice.service'],
    ]);
    const text = await readFile(path, 'utf8');
    expect(text).toContain(
      `"/opt/cli.js" "watch" "run" "--api-key-file" "${key}" "--data-dir" "/data"`,
    );
    expect(text).toContain('"--workspace" "demo"');
    expect(text).not.toContain('a-key');
    expect(text).toContain('SyslogIdentifier=sluice\n');
    expect(await sluice('status')).toMatchObject({ code: 0, installed: true, running: true });
    expect(await sluice('uninstall')).toMatchObject({ code: 0, removed: true });
    expect(await readdir(join(home, '.config/systemd/user'))).toEqual([]);
    expect(await sluice('uninstall')).toMatchObject({ code: 0, removed: false });
    expect(await sluice('status')).toMatchObject({ installed: false, running: false });
  });

  test('says when the system does not start it, and keeps what is written', async () => {
    const { sluice, key } = await computer({
      'daemon-reload': 'Failed to connect to bus',
      'is-active': 'no',
    });
    expect(await sluice('install', '--api-key-file', key)).toMatchObject({
      code: 3,
      installed: true,
      running: false,
      start: expect.arrayContaining(['systemctl --user restart sluice.service']),
    });
    expect(await sluice('status')).toMatchObject({ installed: true, running: false });
  });

  test('needs a key that a service can read', async () => {
    const { ran, sluice, key } = await computer();
    expect(await sluice('install')).toEqual({
      said: 'name the file of the key with --api-key-file',
    });
    expect(await sluice('install', '--api-key-file', '/none')).toEqual({
      said: 'the key file cannot be read: there is no such file',
      keyFile: true,
    });
    expect(await sluice('install', '--api-key-file', '/')).toEqual({
      said: 'the key file cannot be read: it is a directory',
      keyFile: true,
    });
    for (const text of ['a-key\nanother-key', 'a key', `a-key${'0'.repeat(5000)}`, 'a-\0key']) {
      await writeFile(key, text);
      expect(await sluice('install', '--api-key-file', key)).toEqual({
        said: 'what the key file contains is not a key: one word without spaces',
      });
    }
    expect(ran).toEqual([]);
  });

  test('says when the description cannot be written', async () => {
    const { home, ran, sluice, key } = await computer();
    await writeFile(join(home, '.config'), '');
    expect(await sluice('install', '--api-key-file', key)).toMatchObject({
      path: join(home, '.config/systemd/user/sluice.service'),
      reason: 'a file is where a directory belongs',
    });
    expect(ran).toEqual([]);
  });
});
