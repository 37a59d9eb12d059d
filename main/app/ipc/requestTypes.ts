/** The type of a family of handlers. */
import type { z } from 'zod';
import type { OutputOf, REQUESTS, RequestName } from '../../../preload/contract/requests.ts';
import type { Result } from '../../../preload/contract/errors.ts';

/** What main does for each request of the contract. */
export type Handlers = {
  readonly [Name in RequestName]: (
    input: z.output<(typeof REQUESTS)[Name]['input']>,
  ) => Promise<Result<OutputOf<Name>>>;
};
