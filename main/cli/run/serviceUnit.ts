/** How each system describes a user's service: the file to write, and the commands that install, query and remove it. Pure. */
import { isAbsolute, posix, win32 } from 'node:path';
import type { Environment } from '../../engine/core/ports.ts';

export type CommandLine = readonly [string, ...string[]];

export interface ServiceUnit {
  /** Where the description is written. */
  readonly path: string;
  readonly text: string;
  readonly encoding: 'utf8' | 'utf16le';
  /** Ends a service that runs with the description of an earlier installation; they may fail when none is running. */
  readonly replace: readonly CommandLine[];
  /** In order; each must succeed. */
  readonly install: readonly CommandLine[];
  /** Succeeds while the service runs or, where the system cannot tell, while it is installed. */
  readonly status: CommandLine;
  /** In order; they may fail when the service is not running. */
  readonly uninstall: readonly CommandLine[];
  /** What else a person may want to know; null when there is nothing. */
  readonly hint: string | null;
}

export interface ServicePlace {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly environment: Environment;
  /** The user's numeric id; used on macOS. */
  readonly userId: number;
  readonly dataDirectory: string;
}

const STOP_SECONDS = 45;
const LABEL = 'com.sluice.watch';
const TASK = 'Sluice';

/** A word of ExecStart=: systemd expands % and $ even in quotes. */
function systemdWord(word: string): string {
  const escaped = word.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  return `"${escaped.replaceAll('%', '%%').replaceAll('$', '$$$$')}"`;
}

function systemdUnit(place: ServicePlace, command: CommandLine): ServiceUnit {
  const named = place.environment['XDG_CONFIG_HOME'] ?? '';
  const config = isAbsolute(named) ? named : posix.join(place.home, '.config');
  const systemctl = (...words: string[]): CommandLine => ['systemctl', '--user', ...words];
  return {
    path: posix.join(config, 'systemd/user/sluice.service'),
    encoding: 'utf8',
    text: `[Unit]
Description=Sluice keeps directories uploaded
Documentation=man:sluice(1)

[Service]
Type=exec
SyslogIdentifier=sluice
ExecStart=${command.map(systemdWord).join(' ')}
# The C library would keep separate memory for each thread: a tenth more, for no benefit.
Environment=MALLOC_ARENA_MAX=1
# 2 is a mistake in the command line: starting again would not help.
Restart=on-failure
RestartSec=10
RestartPreventExitStatus=2
SuccessExitStatus=130
TimeoutStopSec=${STOP_SECONDS}
KillMode=mixed

[Install]
WantedBy=default.target
`,
    // It is restarted below.
    replace: [],
    install: [
      systemctl('daemon-reload'),
      systemctl('enable', 'sluice.service'),
      systemctl('restart', 'sluice.service'),
    ],
    status: systemctl('is-active', '--quiet', 'sluice.service'),
    uninstall: [systemctl('disable', '--now', 'sluice.service'), systemctl('daemon-reload')],
    hint: 'It runs while you are logged in; also before and after with: loginctl enable-linger',
  };
}

function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function launchAgent({ home, userId }: ServicePlace, command: CommandLine): ServiceUnit {
  const domain = `gui/${userId}`;
  const bootout: CommandLine = ['launchctl', 'bootout', `${domain}/${LABEL}`];
  const path = posix.join(home, 'Library/LaunchAgents', `${LABEL}.plist`);
  const words = command.map((word) => `    <string>${xml(word)}</string>`).join('\n');
  return {
    path,
    encoding: 'utf8',
    text: `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${words}
  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ProcessType</key>
  <string>Background</string>
  <key>ExitTimeOut</key>
  <integer>${STOP_SECONDS}</integer>
</dict>
</plist>
`,
    replace: [bootout],
    install: [
      ['launchctl', 'bootstrap', domain, path],
      ['launchctl', 'kickstart', '-k', `${domain}/${LABEL}`],
    ],
    status: ['launchctl', 'print', `${domain}/${LABEL}`],
    uninstall: [bootout],
    hint: null,
  };
}

/** A word, quoted the way Windows programs split their command line. */
function windowsWord(word: string): string {
  return `"${word.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`;
}

/** A command as a person types it. */
export function typedCommand(platform: NodeJS.Platform, command: CommandLine): string {
  const isWindows = platform === 'win32';
  const plain = isWindows ? /^[\w+=:,./\\-]+$/ : /^[\w@%+=:,./-]+$/;
  const quoted = (word: string): string =>
    isWindows ? windowsWord(word) : `'${word.replaceAll("'", String.raw`'\''`)}'`;
  return command.map((word) => (plain.test(word) ? word : quoted(word))).join(' ');
}

function scheduledTask({ dataDirectory }: ServicePlace, command: CommandLine): ServiceUnit {
  const [program, ...args] = command;
  const path = win32.join(dataDirectory, 'service.xml');
  const schtasks = (...words: string[]): CommandLine => ['schtasks', ...words, '/TN', TASK];
  return {
    path,
    // The encoding that schtasks itself writes; it refuses UTF-8 with non-ASCII letters.
    encoding: 'utf16le',
    text: `\uFEFF<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <Triggers>
    <LogonTrigger />
  </Triggers>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>255</Count>
    </RestartOnFailure>
  </Settings>
  <Actions>
    <Exec>
      <Command>${xml(program)}</Command>
      <Arguments>${xml(args.map(windowsWord).join(' '))}</Arguments>
    </Exec>
  </Actions>
</Task>
`,
    // A task that runs already is not run again.
    replace: [schtasks('/End')],
    install: [schtasks('/Create', '/F', '/XML', path), schtasks('/Run')],
    status: schtasks('/Query'),
    uninstall: [schtasks('/End'), schtasks('/Delete', '/F')],
    hint: null,
  };
}

/** The service that runs this command on this system; null when the system is not supported. */
export function serviceUnit(place: ServicePlace, command: CommandLine): ServiceUnit | null {
  if (place.platform === 'linux') return systemdUnit(place, command);
  if (place.platform === 'darwin') return launchAgent(place, command);
  return place.platform === 'win32' ? scheduledTask(place, command) : null;
}
