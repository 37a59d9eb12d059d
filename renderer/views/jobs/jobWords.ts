import Ban from '@lucide/svelte/icons/ban';
import CalendarClock from '@lucide/svelte/icons/calendar-clock';
import LoaderCircle from '@lucide/svelte/icons/loader-circle';
import type { ErrorCode } from '../../../preload/contract/errors.ts';
import type { ErrorWords } from '../../../preload/contract/messages.ts';
import type { JobDetail, JobRow, StageView } from '../../../preload/contract/records.ts';
import { wordsFor } from '../../text/errorWords.ts';
import { formatCount, formatPercent } from '../../../preload/contract/figures.ts';
import { formatRelative } from '../../text/format.ts';
import { asSentence } from '../../text/sentence.ts';
import type { StateWords } from '../batches/itemStates.ts';
import { silenceText } from '../../../preload/contract/silence.ts';
import type { TaskBar } from './jobTimeline.ts';

const STATES: Readonly<Record<JobRow['state'], StateWords>> = {
  planned: {
    word: 'Planned',
    tone: 'waiting',
    icon: CalendarClock,
    meaning: 'Starts automatically once its batch is closed and confirmed.',
  },
  queued: {
    word: 'Queued',
    tone: 'waiting',
    meaning: 'Waiting for a machine, usually 3–8 minutes.',
  },
  running: {
    word: 'Running',
    tone: 'moving',
    icon: LoaderCircle,
    meaning: 'Running at the service.',
  },
  succeeded: { word: 'Done', tone: 'confirmed', meaning: 'All stages finished.' },
  failed: {
    word: 'Failed',
    tone: 'needs',
    meaning: 'The job failed. The uploaded files are still in the batch.',
  },
  aborted: { word: 'Aborted', tone: 'quiet', icon: Ban, meaning: 'The job was stopped.' },
  parked: {
    word: 'Needs attention',
    tone: 'needs',
    meaning: 'Not started. Open it to see why.',
  },
};

export function jobState(state: JobRow['state']): StateWords {
  return STATES[state];
}

/** True while anything about the job can still change on the service. */
export function isLive(state: JobRow['state']): boolean {
  return state === 'planned' || state === 'queued' || state === 'running';
}

/** The current stage of a job, with its figure: "processing, 41 %". null before the first stage. */
export function stageWords(stages: readonly StageView[]): string | null {
  const current =
    stages.find((stage) => stage.status === 'running') ?? stages[stages.length - 1] ?? null;
  return current === null ? null : `${current.name}, ${stageFigure(current)}`;
}

/** The progress of a stage: "41 %"; for a failed one, how much failed, because a failed task counts as over. */
export function stageFigure({ status, fraction, tasks, tasksNumber }: StageView): string {
  const failed = tasks.filter((task) => task.status === 'failed').length;
  if (status !== 'failed') return formatPercent(fraction);
  return failed === 0 ? 'failed' : `${formatCount(failed)} of ${formatCount(tasksNumber)} failed`;
}

/** What a person can expect next. */
const NEXT: Readonly<Record<Exclude<JobRow['state'], 'succeeded'>, string>> = {
  planned: 'Starts automatically once its batch is closed and fully confirmed.',
  queued: 'Waiting for a machine, usually 3–8 minutes.',
  running: 'Running at the service. This computer can sleep meanwhile.',
  failed: 'Your uploaded files are still in the batch; nothing needs to be uploaded again.',
  aborted: 'Your uploaded files are still in the batch.',
  parked: 'Your uploaded files are still in the batch.',
};

/** What a job that is not done said last; of one that failed also that the files are safe. null once it is done: its results say more. */
export function jobSentence(state: JobRow['state'], lastMessage: string | null): string | null {
  if (state === 'succeeded') return null;
  if (lastMessage === null) return NEXT[state];
  return state === 'failed' ? `${asSentence(lastMessage)} ${NEXT.failed}` : lastMessage;
}

/** What to do about a job that was not started, where the general texts are about files. */
const UNBEGUN_HINTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  'service.refused': 'Check its workflow and settings, then start another job or try again.',
  'service.notFound': 'Check its workflow and its batch, then try again.',
};

function hindranceWords(code: ErrorCode): ErrorWords {
  const words = wordsFor({ code, context: {} });
  return { ...words, hint: UNBEGUN_HINTS[code] ?? words.hint };
}

/** Why a job has no stages, and what will happen. */
export function unbegunWords({
  job,
  blockedBy,
  isAtService,
  error,
}: Pick<JobDetail, 'job' | 'blockedBy' | 'isAtService' | 'error'>): {
  readonly title: string;
  readonly text: string;
} {
  const why = blockedBy === null ? null : hindranceWords(blockedBy);
  if (job.state === 'parked') {
    const text = why === null ? 'It was canceled before it ran.' : `${why.message} ${why.hint}`;
    return { title: 'It was not started', text };
  }
  if (job.state === 'planned') {
    const text =
      why === null
        ? 'Waiting until its batch is closed and fully confirmed.'
        : `${why.message} Retries automatically.`;
    return { title: 'Not started yet', text };
  }
  if (error !== null) {
    return { title: 'Stages not read yet', text: 'They are shown as soon as the service answers.' };
  }
  if (job.state === 'aborted' && why !== null) {
    return { title: 'It was not started', text: 'It was aborted before it ran.' };
  }
  if (!isAtService) {
    return {
      title: 'No stages any more',
      text: 'The service has deleted this job, as it does after seven days. Results that were downloaded stay on this computer.',
    };
  }
  return isLive(job.state)
    ? {
        title: 'No stages yet',
        text: 'Stages appear once a machine starts. Updates automatically.',
      }
    : { title: 'No stages', text: 'The job ended before a machine started, so nothing ran.' };
}

/** The label of the time shown with a job: a planned or queued one has not started, and one that was given up never will. */
export function beganWord({ job, blockedBy }: Pick<JobDetail, 'job' | 'blockedBy'>): string {
  const isBefore = ['planned', 'parked', 'queued'].includes(job.state) || blockedBy !== null;
  return isBefore ? 'created' : 'started';
}

/** A task on one line: "task-022, running 31 %, no news for 14 min". The message itself is shown next to it. */
export function barWords({ task, silentMs }: TaskBar, now: number): string {
  const share = task.progressFraction === null ? '' : ` ${formatPercent(task.progressFraction)}`;
  const states = {
    running: `running${share}`,
    succeeded: 'done',
    failed: 'failed',
    unknown: 'in an unknown state',
  } as const;
  const news = silentMs === null ? formatRelative(task.eventAt, now) : silenceText(silentMs);
  return `${task.taskId}, ${states[task.status]}, ${news}`;
}

export type JobTab = 'results' | 'timeline' | 'failures' | 'logs' | 'facts';

/** The tab shown first: the job's results, why it failed, or else what it is doing. `asking`: its stages are being read. */
export function firstJobTab(
  { job, stages }: Pick<JobDetail, 'job' | 'stages'>,
  asking: boolean,
): JobTab {
  if (job.state === 'succeeded') return 'results';
  return job.state === 'failed' && (asking || stages.length > 0) ? 'failures' : 'timeline';
}

export function jobTabs(
  failures: number,
): readonly { readonly value: JobTab; readonly label: string }[] {
  return [
    { value: 'results', label: 'Results' },
    { value: 'timeline', label: 'Timeline' },
    { value: 'failures', label: failures === 0 ? 'Errors' : `Errors ${failures}` },
    { value: 'logs', label: 'Logs' },
    { value: 'facts', label: 'Settings' },
  ];
}
