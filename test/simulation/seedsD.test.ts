/** A quarter of the seeds of every run. */
import { describe } from 'vitest';
import { declareShare } from './inShares.ts';

describe('the promise holds', () => declareShare(4));
