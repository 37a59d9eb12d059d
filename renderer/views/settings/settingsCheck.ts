/** Checks settings and connections before they are sent, so that a problem is shown next to its field. */
import type { Settings } from '../../../preload/contract/settings.ts';
import { hasKeyInAddress } from '../../../preload/contract/serviceAddress.ts';
import { LANES, MAX_PORT, SETTLE_MS } from '../../../preload/contract/bounds.ts';
import { readTimetable } from '../../../preload/contract/timetable.ts';

type SettingsField = 'lanesMost' | 'bandwidth' | 'settleMs' | 'bind' | 'port' | 'publicUrl';
/** What is wrong, by field; empty when it can be saved. */
export type SettingsProblems = Readonly<Partial<Record<SettingsField, string>>>;

function isWhole(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}

/** True for a valid service address: http or https, without a query string or credentials. */
export function isServiceUrl(text: string): boolean {
  if (text.length > 500 || !URL.canParse(text)) return false;
  const url = new URL(text);
  return (
    (url.protocol === 'https:' || url.protocol === 'http:') &&
    url.username === '' &&
    url.password === '' &&
    url.search === ''
  );
}

export function settingsProblems(settings: Settings): SettingsProblems {
  const problems: Partial<Record<SettingsField, string>> = {};
  if (!isWhole(settings.lanesMost, LANES.min, LANES.max))
    problems.lanesMost = 'A whole number from 1 to 64.';
  if (!isWhole(settings.settleMs, SETTLE_MS.min, SETTLE_MS.max))
    problems.settleMs = 'From 1 to 300 seconds.';
  const timetable = readTimetable(settings.bandwidth);
  if (!timetable.ok) problems.bandwidth = `${timetable.problem}.`;
  const { bind, port, publicUrl } = settings.webhook;
  if (bind.length > 100 || /\s/.test(bind.trim()))
    problems.bind = 'A name or an address, such as 127.0.0.1.';
  if (!isWhole(port, 0, MAX_PORT)) problems.port = 'From 0 (any free port) to 65535.';
  if (publicUrl !== '' && (!isServiceUrl(publicUrl) || isPlainRemote(publicUrl))) {
    problems.publicUrl = 'Begin with https:// and leave out keys and query strings.';
  }
  return problems;
}

export interface ConnectionForm {
  readonly apiUrl: string;
  readonly projectsUrl: string;
  readonly apiKey: string;
  readonly workspace: string;
}

/** What is wrong with a new connection, by field. A key that is not entered yet is not an error. */
export type ConnectionProblems = Readonly<Partial<Record<keyof ConnectionForm, string>>>;

export function connectionProblems(form: ConnectionForm): ConnectionProblems {
  const problems: Partial<Record<keyof ConnectionForm, string>> = {};
  const key = form.apiKey.trim();
  const address = (text: string): string =>
    hasKeyInAddress(text, key)
      ? 'Leave the key out of the address, and enter it as the API key.'
      : 'An address such as https://api.roboflow.com.';
  const api = form.apiUrl.trim();
  if (!isServiceUrl(api) || hasKeyInAddress(api, key)) problems.apiUrl = address(api);
  const projects = form.projectsUrl.trim();
  if (projects !== '' && (!isServiceUrl(projects) || hasKeyInAddress(projects, key)))
    problems.projectsUrl = address(projects);
  if (key.length > 500 || /\s/.test(key)) problems.apiKey = 'A key has no spaces in it.';
  if (/[/?#\s]/.test(form.workspace.trim()) || form.workspace.length > 200) {
    problems.workspace = 'The ID of the workspace, as in the address of its page.';
  }
  return problems;
}

/** True when the key would be sent unencrypted to another computer. */
export function isPlainRemote(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
