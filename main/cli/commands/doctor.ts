/** `sluice doctor`: checks everything that an upload needs, says what to do, and changes nothing. */
import type { Result } from '../../../preload/contract/errors.ts';
import { explain } from '../../../preload/contract/messages.ts';
import type { Connection } from '../../engine/runner/connect.ts';
import {
  bad,
  type Check,
  checkComputer,
  checkCertificates,
  judgeProxy,
} from '../../engine/doctor/checks.ts';
import { checkService } from '../../engine/doctor/serviceChecks.ts';
import { ok } from '../../engine/core/errors.ts';
import type { Ports } from '../../engine/core/ports.ts';
import {
  type Action,
  type CommandContext,
  readAddresses,
  readConnection,
} from '../session/context.ts';
import { EXIT } from '../terminal/exitCode.ts';
import { count } from '../terminal/format.ts';

const MARKS: Readonly<Record<Check['state'], string>> = { ok: 'ok  ', warn: 'note', bad: 'BAD ' };

function linesOf(check: Check): readonly string[] {
  const line = `${MARKS[check.state]}  ${check.name}: ${check.said}`;
  return check.todo === null ? [line] : [line, `      ${check.todo}`];
}

/** The exit code: key and network failures have their own. Pure. */
function exitOfChecks(checks: readonly Check[]): number {
  const isBad = (name: string): boolean =>
    checks.some((check) => check.name === name && check.state === 'bad');
  if (isBad('key')) return EXIT.keyRefused;
  if (isBad('address') || isBad('projects address')) return EXIT.unreachable;
  return checks.some((check) => check.state === 'bad') ? EXIT.attention : EXIT.done;
}

/** The connection when a key is given; null without one. Errors: what is wrong with how the key is given. */
async function readKeyed(context: CommandContext): Promise<Result<Connection | null>> {
  const { args, environment } = context;
  const isGiven =
    args.text('api-key-file') !== null || Boolean(environment['SLUICE_API_KEY']?.trim());
  return isGiven ? readConnection(context) : ok(null);
}

/** The limit on open files of this process; null when the system reports none. */
function openFilesMost(): number | null {
  const report: unknown = process.report.getReport();
  const limit: unknown = Object(Object(Object(report).userLimits).open_files).soft;
  return typeof limit === 'number' ? limit : null;
}

async function checkAll(context: CommandContext): Promise<Result<readonly Check[]>> {
  const { dataDirectory, environment, signal } = context;
  const addresses = readAddresses(context);
  if (!addresses.ok) return addresses;
  // A log would create a file in the data directory.
  const ports: Ports = { ...(await context.ports()), log: { write: () => undefined } };
  const { platform } = process;
  const system = {
    platform,
    nodeVersion: process.versions.node,
    openFilesMost: openFilesMost(),
  };
  const here = await checkComputer(dataDirectory, ports.files, system);
  const way = [
    await checkCertificates(environment),
    judgeProxy(environment, addresses.value.apiUrl),
  ].filter((check) => check !== null);
  const keyed = await readKeyed(context);
  const connection = keyed.ok ? keyed.value : null;
  const service = await checkService(ports, { ...addresses.value, connection }, signal);
  if (keyed.ok) return ok([...here, ...way, ...service]);
  const { message, hint } = explain(keyed.error);
  const given = bad('key given', message, hint);
  return ok([...here, ...way, ...service.filter((check) => check.name !== 'key'), given]);
}

export const doctor: Action = async (context) => {
  const checks = await checkAll(context);
  if (!checks.ok) return checks;
  if (context.signal.aborted) return ok(EXIT.interrupted);
  const wrong = checks.value.filter((check) => check.state === 'bad').length;
  const isKeyKnown = checks.value.some(({ name, state }) => name === 'key' && state === 'ok');
  const fine = `Everything ${isKeyKnown ? '' : 'else '}an upload needs is there.`;
  const end = wrong === 0 ? fine : `${count(wrong, 'problem')} to fix.`;
  const lines = [...checks.value.flatMap(linesOf), end];
  context.output.result({ checks: checks.value, bad: wrong }, lines);
  return ok(exitOfChecks(checks.value));
};
