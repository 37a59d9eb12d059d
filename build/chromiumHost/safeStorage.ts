/** `safeStorage`: the host has no keychain, but a key file in the data directory, and reports that (`basic_text`). */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SafeStorage } from 'electron';
import { userDataDir } from './appPaths.ts';
import { strictModule } from './notOnHost.ts';

const PREFIX = Buffer.from('host1');
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

function key(): Buffer {
  const path = join(userDataDir(), 'chromium-host-key');
  if (!existsSync(path)) writeFileSync(path, randomBytes(32), { mode: 0o600, flag: 'wx' });
  return readFileSync(path);
}

function encrypt(plainText: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key(), nonce);
  const body = Buffer.concat([cipher.update(plainText, 'utf8'), cipher.final()]);
  return Buffer.concat([PREFIX, nonce, cipher.getAuthTag(), body]);
}

function decrypt(encrypted: Buffer): string {
  const bodyAt = PREFIX.length + NONCE_BYTES + TAG_BYTES;
  if (encrypted.length < bodyAt || !encrypted.subarray(0, PREFIX.length).equals(PREFIX)) {
    throw new Error('Error while decrypting the ciphertext provided to safeStorage.decryptString.');
  }
  const nonce = encrypted.subarray(PREFIX.length, PREFIX.length + NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key(), nonce);
  decipher.setAuthTag(encrypted.subarray(PREFIX.length + NONCE_BYTES, bodyAt));
  const body = Buffer.concat([decipher.update(encrypted.subarray(bodyAt)), decipher.final()]);
  return body.toString('utf8');
}

/** The export `safeStorage`. */
export const safeStorage = strictModule('safeStorage', {
  encryptStringAsync: async (plainText: string) => encrypt(plainText),
  decryptStringAsync: async (encrypted: Buffer) => ({
    result: decrypt(Buffer.from(encrypted)),
    shouldReEncrypt: false,
  }),
  isEncryptionAvailable: () => true,
  getSelectedStorageBackend: () => 'basic_text',
} satisfies Partial<SafeStorage>);
