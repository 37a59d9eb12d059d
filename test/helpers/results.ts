/** Results in tests, which must be what the test says. */
import { SluiceFailure } from '../../main/engine/core/errors.ts';

/** The value of a result that must be a success. */
export function valueOf<T>(
  result:
    | { readonly ok: true; readonly value: T }
    | { readonly ok: false; readonly error: unknown },
): T {
  if (!result.ok) throw new Error(`unexpected failure: ${JSON.stringify(result.error)}`);
  return result.value;
}

/** The code of the failure that is thrown; null without one. */
export function thrownCode(act: () => unknown): string | null {
  try {
    act();
    return null;
  } catch (error) {
    return error instanceof SluiceFailure ? error.error.code : String(error);
  }
}

/** The code of a result that must be a failure. */
export function codeOf(
  result: { readonly ok: true } | { readonly ok: false; readonly error: { readonly code: string } },
): string {
  return result.ok ? 'no failure' : result.error.code;
}
