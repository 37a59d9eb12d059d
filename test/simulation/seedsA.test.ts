/** Half of the seeds of every run: the even ones. */
import { describe } from 'vitest';
import { declareShare } from './inShares.ts';

describe('the promise holds', () => declareShare(2));
