/** API keys of connections, encrypted with the system's keychain. A key that can no longer be decrypted must be entered again; nothing else is lost. */
import { safeStorage } from 'electron';
import { registerSecret } from '../../engine/core/redact.ts';
import type { SettingsFile } from './settingsFile.ts';

function isProtected(): boolean {
  if (process.platform !== 'linux') return safeStorage.isEncryptionAvailable();
  return safeStorage.getSelectedStorageBackend() !== 'basic_text';
}

export function createSecrets(file: SettingsFile) {
  const keys = (): Readonly<Record<string, string>> => file.read().keys;
  return {
    /** False without a keychain: any program of this user could read the stored key. */
    protects: isProtected,
    /** The key of a connection; null when there is none or it cannot be decrypted. */
    read: async (id: number) => {
      const kept = keys()[String(id)];
      if (kept === undefined) return null;
      try {
        const { result } = await safeStorage.decryptStringAsync(Buffer.from(kept, 'base64'));
        registerSecret(result);
        return result;
      } catch {
        return null;
      }
    },
    write: async (id: number, apiKey: string) => {
      registerSecret(apiKey);
      const encrypted = await safeStorage.encryptStringAsync(apiKey);
      file.write({ keys: { ...keys(), [String(id)]: encrypted.toString('base64') } });
    },
    forget: (id: number) => {
      const left = Object.entries(keys()).filter(([name]) => name !== String(id));
      file.write({ keys: Object.fromEntries(left) });
    },
  };
}

export type Secrets = ReturnType<typeof createSecrets>;
