/** What a job produces from its inputs: files whose content says which job made them, from which input, and their position. */
import { gzipSync } from 'node:zlib';
import type { JobCharacter } from './character.ts';
import type { Dice } from './dice.ts';
import { type Job, type ServiceState, SERVICE } from './serviceState.ts';

/** Parts of results, as the service names them. */
export const RESULT_PARTS = ['predictions', 'exported images'] as const;
/** The first name of each part. */
export const FIRST_RESULT = 'results.csv';
const NAMES = ['Zählung №1.jsonl', 'shard-0.tar.gz', 'sub/annotations.json', 'Results 2.csv'];

function nameOf(number: number, dice: Dice): string {
  if (number === 0) return FIRST_RESULT;
  // Each name occurs once in its part: nothing would distinguish two equal names.
  const odd = dice.chance(0.3) ? NAMES[number - 1] : undefined;
  return odd ?? `shard-${number}.jsonl`;
}

function contentOf(job: Job, part: string | null, name: string): Buffer {
  const lines = job.inputs.map((file) => `${file.name} ${file.hash}`);
  const text = Buffer.from([`${job.id} ${part ?? ''} ${name}`, ...lines, ''].join('\n'));
  return name.endsWith('.gz') ? gzipSync(text) : text;
}

/** Puts the results of a job into the batch made for them. */
export function exportResults(
  state: ServiceState,
  { results, mostResults }: JobCharacter,
  job: Job,
  dice: Dice,
): void {
  const inParts = results !== 'in no part';
  const type = inParts ? 'multipart-batch' : 'simple-batch';
  const batch = state.batch(`${job.id}-export`, 'archives', type);
  const parts: readonly (string | null)[] = inParts ? RESULT_PARTS : [null];
  for (const part of parts) {
    const count = dice.int(1, mostResults);
    for (let number = 0; number < count; number += 1) {
      const name = nameOf(number, dice);
      const bytes = contentOf(job, part, name);
      job.results.push(state.store(batch, { name, bytes, writer: SERVICE, shardId: part }));
    }
    if (part !== null) batch.parts.push(part);
  }
  if (results === 'in parts, one of them empty') batch.parts.push('left over');
}
