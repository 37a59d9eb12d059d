/** The connection that environment variables name; used in development only. */
import { hasKeyInAddress } from '../../preload/contract/serviceAddress.ts';
import type { Log } from './appContext.ts';
import type { ConnectionInput } from './ipc/connections.ts';
import type { Environment } from '../engine/core/ports.ts';

const STANDARD_URL = 'https://api.roboflow.com';

/** Null without a key, and, with a line in the log, when an address contains a key: addresses are stored. */
export function environmentConnection(environment: Environment, log: Log): ConnectionInput | null {
  const variable = (name: string): string => environment[`SLUICE_${name}`]?.trim() ?? '';
  const [apiKey, workspace] = [variable('API_KEY'), variable('WORKSPACE')];
  const apiUrl = variable('API_URL') || STANDARD_URL;
  if (apiKey === '' || !/^https?:/.test(apiUrl) || !URL.canParse(apiUrl)) return null;
  const projectsUrl = variable('PROJECTS_URL') || apiUrl;
  if ([apiUrl, projectsUrl].some((one) => hasKeyInAddress(one, apiKey))) {
    log('connection.keyInAddress', { ignored: 'SLUICE_API_URL, SLUICE_PROJECTS_URL' });
    return null;
  }
  return {
    apiUrl,
    projectsUrl,
    apiKey,
    workspace: workspace === '' ? null : workspace,
  };
}
