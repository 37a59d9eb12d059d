/** The connection of every simulated computer, created only here. */
import type { Connection } from '../../main/engine/runner/connect.ts';
import { API_URL, KEY, WORKSPACE } from './serviceWords.ts';

export function simConnection(): Connection {
  return {
    apiUrl: API_URL,
    projectsUrl: API_URL,
    apiKey: KEY,
    workspace: WORKSPACE,
  };
}
