/** The job that a batch of results belongs to, by its id; null for another batch. Pure. */
export function jobOfResults(batchId: string): string | null {
  return /^(.+)-(?:processing|export)$/.exec(batchId)?.[1] ?? null;
}
