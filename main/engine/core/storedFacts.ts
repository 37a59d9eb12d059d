/** The facts of an error as the ledger keeps them with an item: JSON. What cannot be read counts as no facts. */
import type { ErrorContext } from './errors.ts';

/** Words of others are shown up to this length. */
const MAX_SAID = 1000;

/** The facts by name. */
export function storedFacts(detail: string | null): Readonly<Record<string, unknown>> {
  try {
    const facts: unknown = JSON.parse(detail ?? '{}');
    return typeof facts === 'object' && facts !== null ? { ...facts } : {};
  } catch {
    return {};
  }
}

/** The facts as text, as messages need them. */
export function storedContext(detail: string | null): ErrorContext {
  const facts = Object.entries(storedFacts(detail));
  return Object.fromEntries(facts.map(([name, value]) => [name, String(value)]));
}

/** The service's or the system's own words among the facts; null without any. */
export function storedWords(detail: string | null): string | null {
  const facts = storedFacts(detail);
  const said = facts['said'] ?? facts['reason'];
  return typeof said === 'string' ? said.slice(0, MAX_SAID) : null;
}
