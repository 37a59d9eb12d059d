/** The facts of an error as the ledger keeps them with an item: JSON. Unreadable JSON counts as no facts. */
import { type ErrorCode, type ErrorContext, explain, plainWords } from './errors.ts';

/** Longest text from the service or the system that is shown, in characters. */
const MAX_SAID = 1000;

export function storedFacts(detail: string | null): Readonly<Record<string, unknown>> {
  try {
    const facts: unknown = JSON.parse(detail ?? '{}');
    return typeof facts === 'object' && facts !== null ? { ...facts } : {};
  } catch {
    return {};
  }
}

/** The facts as strings, as messages need them. */
export function storedContext(detail: string | null): ErrorContext {
  const facts = Object.entries(storedFacts(detail));
  return Object.fromEntries(facts.map(([name, value]) => [name, String(value)]));
}

/** What an error means, and what to do, in sentences. */
export function storedSentences(code: ErrorCode, detail: string | null): string {
  const { message, hint } = explain({ code, context: storedContext(detail) });
  return `${message} ${hint}`;
}

/** The service's or the system's own words among the facts; null when there are none. */
export function storedWords(detail: string | null): string | null {
  const facts = storedFacts(detail);
  const said = facts['said'] ?? facts['reason'];
  return typeof said === 'string' ? plainWords(said).slice(0, MAX_SAID) : null;
}
