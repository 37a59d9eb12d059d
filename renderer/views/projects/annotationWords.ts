/** An annotation job on one line: who works on it, and how far along they are. Pure. */
import { formatCount } from '../../../preload/contract/figures.ts';
import { capitalized } from '../../text/sentence.ts';
import type { AnnotationJobRow } from '../../../preload/contract/records.ts';

function split(email: string | null): { readonly name: string; readonly domain: string } | null {
  const at = email?.lastIndexOf('@') ?? -1;
  if (email === null || at < 1) return null;
  return { name: email.slice(0, at), domain: email.slice(at + 1).toLowerCase() };
}

type People = Pick<AnnotationJobRow, 'labeler' | 'reviewer'>;

/** "ana → ben" for two people with the same domain, otherwise their full addresses; says who is missing. */
export function peopleWords({ labeler, reviewer }: People): string {
  const [one, other] = [split(labeler), split(reviewer)];
  if (one !== null && other !== null && one.domain === other.domain) {
    return `${one.name} → ${other.name}`;
  }
  return `${labeler ?? 'no labeler'} → ${reviewer ?? 'no reviewer'}`;
}

/** The same in full, for the tooltip. */
export function peopleWhole({ labeler, reviewer }: People): string {
  return `Labeler: ${labeler ?? 'none'}\nReviewer: ${reviewer ?? 'none'}`;
}

/** The service's word for the state of an annotation job, capitalized for the start of a line. */
export function statusWord(status: string): string {
  const word = status.trim().replaceAll(/[-_]+/g, ' ');
  return word === '' ? 'No state' : capitalized(word);
}

/** A job of which the service states how many of its images are annotated. */
export interface CountedJob extends Pick<AnnotationJobRow, 'approved' | 'rejected'> {
  readonly images: number;
  readonly annotated: number;
}

/** The counts of a job; null when the service does not state how far it is. */
export function countedJob({ images, annotated, ...job }: AnnotationJobRow): CountedJob | null {
  return images === null || annotated === null ? null : { ...job, images, annotated };
}

/** The figures behind the bar: what was done, what was sent back, what is approved. */
export function progressWords(job: CountedJob): {
  readonly done: string;
  readonly rejected: string | null;
  readonly approved: string | null;
} {
  const { annotated, images, approved, rejected } = job;
  return {
    done: `${formatCount(annotated)} of ${formatCount(images)} annotated`,
    rejected: rejected === null || rejected === 0 ? null : `${formatCount(rejected)} rejected`,
    approved: approved === null ? null : `${formatCount(approved)} approved`,
  };
}
