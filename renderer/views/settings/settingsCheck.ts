/** Looks over what is written in Settings before it is sent, so that the word stands beside the field. */
import type { SettingsView } from '../../../preload/contract/snapshot.ts';
import { readTimetable } from './settingsTimetable.ts';

/** The fields that can be wrong. */
type SettingsField = 'lanesMost' | 'bandwidth' | 'settleMs' | 'bind' | 'port' | 'publicUrl';
/** What is wrong, by field; an empty object: it can be saved. */
export type SettingsProblems = Readonly<Partial<Record<SettingsField, string>>>;

function isWhole(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}

/** True for an address that the service can be at: http or https, without a question or a key in it. */
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

/** What is wrong with the settings as they are written. */
export function settingsProblems(settings: SettingsView): SettingsProblems {
  const problems: Partial<Record<SettingsField, string>> = {};
  if (!isWhole(settings.lanesMost, 1, 64)) problems.lanesMost = 'A whole number from 1 to 64.';
  if (!isWhole(settings.settleMs, 1000, 300_000)) problems.settleMs = 'From 1 to 300 seconds.';
  const timetable = readTimetable(settings.bandwidth);
  if (!timetable.ok) problems.bandwidth = timetable.wrong;
  const { bind, port, publicUrl } = settings.webhook;
  if (bind.length > 100 || /\s/.test(bind.trim()))
    problems.bind = 'A name or an address, such as 127.0.0.1.';
  if (!isWhole(port, 0, 65_535)) problems.port = 'From 0 (any free port) to 65535.';
  if (publicUrl !== '' && (!isServiceUrl(publicUrl) || isPlainRemote(publicUrl))) {
    problems.publicUrl = 'Begin with https:// and leave out keys and questions.';
  }
  return problems;
}

/** What is written in the form of a new connection. */
export interface ConnectionForm {
  readonly apiUrl: string;
  readonly projectsUrl: string;
  readonly apiKey: string;
  readonly workspace: string;
}

/** What is wrong with a new connection, by field. A key that is not there yet is not wrong. */
export type ConnectionProblems = Readonly<Partial<Record<keyof ConnectionForm, string>>>;

/** Looks over a new connection before the service is asked. */
export function connectionProblems(form: ConnectionForm): ConnectionProblems {
  const problems: Partial<Record<keyof ConnectionForm, string>> = {};
  const address = 'An address such as https://api.roboflow.com.';
  if (!isServiceUrl(form.apiUrl.trim())) problems.apiUrl = address;
  const projects = form.projectsUrl.trim();
  if (projects !== '' && !isServiceUrl(projects)) problems.projectsUrl = address;
  const key = form.apiKey.trim();
  if (key.length > 500 || /\s/.test(key)) problems.apiKey = 'A key has no spaces in it.';
  if (/[/?#\s]/.test(form.workspace.trim()) || form.workspace.length > 200) {
    problems.workspace = 'The id of the workspace as it stands in its address.';
  }
  return problems;
}

/** True when the key would travel readable to another computer. */
export function isPlainRemote(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
