/** The connection of every simulated computer, created only here. */
import { API_URL, KEY, WORKSPACE } from './serviceWords.ts';

export function simConnection() {
  return {
    apiUrl: API_URL,
    projectsUrl: API_URL,
    apiKey: KEY,
    workspace: WORKSPACE,
  };
}
