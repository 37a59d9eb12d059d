/** Half of the seeds that every run lives through: the odd ones. */
import { describe } from 'vitest';
import { declareShare } from './inShares.ts';

describe('the promise holds', () => declareShare(1));
