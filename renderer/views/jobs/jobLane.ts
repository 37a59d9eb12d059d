/** How a stage of a job is drawn: its figures in words, and the position of its bars. Pure. */
import { countOf, formatCount } from '../../../preload/contract/figures.ts';
import type { Lane, TaskBar } from './jobTimeline.ts';

/** The figures of a stage on one line: "35 tasks: 22 done · 6 running · 7 waiting". */
export function laneFigures({ stage, ...lane }: Lane): string {
  const figures = [
    [lane.done, 'done'],
    [lane.running, 'running'],
    [lane.failed, 'failed'],
    [lane.unknown, 'unknown'],
    [lane.waiting, 'waiting'],
    [lane.leftOut, 'not drawn'],
  ] as const;
  const parts = figures.flatMap(([count, word]) =>
    count === 0 ? [] : [`${formatCount(count)} ${word}`],
  );
  const tasks = stage.tasksNumber === 0 ? '' : countOf(stage.tasksNumber, 'task');
  return parts.length === 0 ? tasks : `${tasks}: ${parts.join(' · ')}`;
}

/** The position of each bar in a lane, in px from its top; many bars are drawn thinner, a silent one has room for its text. */
export interface BarStack {
  readonly thickness: number;
  readonly tall: number;
  readonly places: readonly { readonly top: number; readonly height: number }[];
}

const MANY_BARS = 60;
const WORDS_PX = 18;

export function stackOf(bars: readonly Pick<TaskBar, 'state'>[]): BarStack {
  const thin = bars.length > MANY_BARS;
  const thickness = thin ? 3 : 6;
  const places: { top: number; height: number }[] = [];
  let top = 2;
  for (const { state } of bars) {
    const height = state === 'silent' ? WORDS_PX : thickness;
    places.push({ top, height });
    top += height + (thin ? 1 : 2);
  }
  return { thickness, tall: top, places };
}
