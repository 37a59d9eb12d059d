/** API keys of connections, encrypted with the system's keychain. A key that can no longer be decrypted must be entered again; nothing else is lost. */
import { safeStorage } from 'electron';
import { registerSecret } from '../../engine/core/redact.ts';
import type { SettingsFile } from './settingsFile.ts';

export interface Secrets {
  /** The key of a connection; null when there is none or it cannot be decrypted. */
  read(connectionId: number): Promise<string | null>;
  write(connectionId: number, apiKey: string): Promise<void>;
  forget(connectionId: number): void;
  /** False without a keychain: any program of this user could read the stored key. */
  protects(): boolean;
}

function isProtected(): boolean {
  if (process.platform !== 'linux') return safeStorage.isEncryptionAvailable();
  return safeStorage.getSelectedStorageBackend() !== 'basic_text';
}

export function createSecrets(file: SettingsFile): Secrets {
  const keys = (): Readonly<Record<string, string>> => file.read().keys;
  return {
    protects: isProtected,
    read: async (id) => {
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
    write: async (id, apiKey) => {
      registerSecret(apiKey);
      const encrypted = await safeStorage.encryptStringAsync(apiKey);
      file.write({ keys: { ...keys(), [String(id)]: encrypted.toString('base64') } });
    },
    forget: (id) => {
      const left = Object.entries(keys()).filter(([name]) => name !== String(id));
      file.write({ keys: Object.fromEntries(left) });
    },
  };
}
