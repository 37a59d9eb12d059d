/** The id of the job that a batch of results belongs to; null for any other batch. Pure. */
export function jobOfResults(batchId: string): string | null {
  return /^(.+)-(?:processing|export)$/.exec(batchId)?.[1] ?? null;
}
