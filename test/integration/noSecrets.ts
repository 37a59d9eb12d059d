/** No key and no signature leaves the places where they are needed. */
import { expect } from 'vitest';
import type { ReferenceService } from '../service/referenceService.ts';

const SIGNATURE = /X-Goog-Signature(=|%3D)[0-9a-f]{16}/i;

/** Asserts that none of the texts contains the service's key or the signature of any address that it issued. */
export function expectNoSecrets(texts: readonly string[], service: ReferenceService): void {
  const used = service.log.requests.flatMap((entry) => entry.query.get('X-Goog-Signature') ?? []);
  const secrets = [service.apiKey, ...new Set(used)];
  const all = texts.join('\n');
  expect(all.length, 'there is something to look through').toBeGreaterThan(0);
  for (const secret of secrets)
    expect(all.includes(secret), 'a secret was written down').toBe(false);
  expect(SIGNATURE.exec(all), 'a signed address was written down').toBeNull();
}
