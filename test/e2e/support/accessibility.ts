import type { Page } from '@playwright/test';
import axe from 'axe-core';

declare global {
  interface Window {
    /** There once it was loaded. */
    readonly axe?: typeof axe;
  }
}

interface Fault {
  readonly rule: string;
  /** The first element that it concerns. */
  readonly html: string;
}

/**
 * What the checker finds. It stays in the document, because loading it takes as long as two checks.
 * @param within a selector; default: the whole page
 * @param rules default: all
 */
export async function accessibilityFaults(
  page: Page,
  { within = 'html', rules }: { readonly within?: string; readonly rules?: readonly string[] } = {},
): Promise<readonly Fault[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const found = await page.evaluate(
    ([context, runOnly]) =>
      window.axe?.run(context, {
        resultTypes: ['violations'],
        ...(runOnly === null ? {} : { runOnly }),
      }),
    [within, rules === undefined ? null : [...rules]] as const,
  );
  if (found === undefined) throw new Error('The checker is not in the page.');
  return found.violations.map(({ id, nodes }) => ({ rule: id, html: nodes[0]?.html ?? '' }));
}
