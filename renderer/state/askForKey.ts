import { go } from './router.svelte.ts';
import { connectionInUse } from './snapshot.svelte.ts';

/** Opens the settings of the connection in use, at the field for its new key. */
export function askForKey(): void {
  go('settings', 'connections', { key: String(connectionInUse()?.id ?? '') });
}
