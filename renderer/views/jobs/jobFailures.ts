/** The messages of a job's failed tasks, with equal ones grouped. Pure. */
import type { StageView } from '../../../preload/contract/records.ts';

export interface FailureGroup {
  /** The exact message of the first one. */
  readonly message: string;
  readonly stage: string;
  readonly taskIds: readonly string[];
}

/** Messages that differ only in numbers, ids, addresses and quoted names count as equal: each page of a book is not a separate error. */
function kin(message: string): string {
  return message
    .replace(/https?:\/\/\S+/g, '<address>')
    .replace(/"[^"]*"|'[^']*'/g, '<name>')
    .replace(/\b[0-9a-f]{8,}(-[0-9a-f]{4,})*\b/gi, '<id>')
    .replace(/\d+/g, '<n>')
    .trim();
}

/** Failures by message, most frequent first; a failed stage without failed tasks is its own group. */
export function failureGroups(stages: readonly StageView[]): readonly FailureGroup[] {
  const groups = new Map<string, { message: string; stage: string; taskIds: string[] }>();
  const add = (stage: string, message: string, taskId: string | null): void => {
    const key = `${stage}\n${kin(message)}`;
    const group = groups.get(key) ?? { message, stage, taskIds: [] };
    if (taskId !== null) group.taskIds.push(taskId);
    groups.set(key, group);
  };
  for (const stage of stages) {
    const failed = stage.tasks.filter((task) => task.status === 'failed');
    for (const task of failed) add(stage.name, task.message, task.taskId);
    if (failed.length === 0 && stage.status === 'failed') add(stage.name, stage.message, null);
  }
  return [...groups.values()].sort((a, b) => b.taskIds.length - a.taskIds.length);
}
