/** Half of the seeds that every run lives through: the even ones. */
import { describe } from 'vitest';
import { declareShare } from './inShares.ts';

describe('the promise holds', () => declareShare(2));
