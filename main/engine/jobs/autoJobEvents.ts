/** News about jobs and their results that is worth a notification. */
import type { SluiceError } from '../core/errors.ts';

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
      readonly to: string;
      readonly files: number;
      readonly bytes: number;
      /** Files that could not be downloaded; the results are incomplete while there are any. */
      readonly countParked: number;
    }
  | {
      readonly kind: 'trouble';
      readonly jobId: string;
      readonly error: SluiceError;
      /** True when the problem has lasted long enough that a person should know; Sluice still retries where that may help. */
      readonly isLasting: boolean;
    };
