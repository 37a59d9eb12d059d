/** What is worth telling a person about jobs and their results. */
import type { SluiceError } from '../core/errors.ts';

/** One piece of news about a job. */
export type AutoJobEvent =
  | { readonly kind: 'started'; readonly jobId: string; readonly batchId: string }
  | {
      readonly kind: 'ended';
      readonly jobId: string;
      readonly succeeded: boolean;
      readonly message: string | null;
    }
  | {
      readonly kind: 'fetched';
      readonly jobId: string;
      /** The batch that was processed. */
      readonly batchId: string;
      readonly to: string;
      readonly files: number;
      readonly bytes: number;
      /** Files that could not be had; the results are not complete while there are some. */
      readonly countParked: number;
    }
  | {
      readonly kind: 'trouble';
      readonly jobId: string;
      readonly error: SluiceError;
      /** True when it has lasted so long that a person should know; Sluice still tries again where that may help. */
      readonly rests: boolean;
    };
