/** `npm run check`: types, lint, format, architecture and unit tests. Exits with 1 when anything failed. */
import { runChecks } from './runChecks.ts';

const ends = await runChecks();
process.exitCode = ends.some((end) => end.failed > 0) ? 1 : 0;
