/** `--part I/N`: which share of the files this machine sends, set by a person or by the scheduler that started it. */
import type { Result } from '../../../preload/contract/errors.ts';
import { PARTS_MAX } from '../../../preload/contract/bounds.ts';
import { type Part, partSchema } from '../../../preload/contract/watchRule.ts';
import { ok } from '../../engine/core/errors.ts';
import { usage } from '../terminal/args.ts';
import type { Environment } from '../../engine/core/ports.ts';

function wholeIn(environment: Environment, name: string): number | null {
  const text = environment[name] ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/**
 * The part assigned by a scheduler. Slurm states how many tasks its array has; a Kubernetes Job states only the index, so the number must
 * be given. Sources: sbatch(1) "Output environment variables"; Kubernetes "Indexed Job".
 */
function partOfScheduler(environment: Environment, given: number | null): Result<Part> {
  const task = wholeIn(environment, 'SLURM_ARRAY_TASK_ID');
  const step = Math.max(1, wholeIn(environment, 'SLURM_ARRAY_TASK_STEP') ?? 1);
  const first = wholeIn(environment, 'SLURM_ARRAY_TASK_MIN') ?? 0;
  const index =
    task === null
      ? wholeIn(environment, 'JOB_COMPLETION_INDEX')
      : Math.floor((task - first) / step);
  if (index === null) {
    return usage(
      '--part auto needs SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX in the environment',
    );
  }
  const tasks = task === null ? null : wholeIn(environment, 'SLURM_ARRAY_TASK_COUNT');
  const of = given ?? tasks;
  if (of === null) {
    return usage('--part auto does not know how many parts there are: write --part auto/N');
  }
  return checked(index, of);
}

function checked(index: number, of: number): Result<Part> {
  const part = partSchema().safeParse({ index, of });
  if (part.success) return ok(part.data);
  if (of === 0) return usage('--part I/0: parts count from 0, and there is at least one');
  if (of > PARTS_MAX) return usage(`--part ${index}/${of}: at most ${PARTS_MAX} parts`);
  return usage(
    `--part ${index}/${of}: parts count from 0, so with ${of} parts the last is ${of - 1}/${of}`,
  );
}

/** Reads `I/N`, `auto` or `auto/N`. Error: usage.invalid. */
export function readPart(text: string, environment: Environment): Result<Part> {
  const match = /^(?:(\d{1,9})\/(\d{1,9})|auto(?:\/(\d{1,9}))?)$/.exec(text);
  if (match === null) return usage('--part is I/N such as 0/8, auto, or auto/N');
  const [, index, of, given] = match;
  if (index !== undefined && of !== undefined) return checked(Number(index), Number(of));
  return partOfScheduler(environment, given === undefined ? null : Number(given));
}
