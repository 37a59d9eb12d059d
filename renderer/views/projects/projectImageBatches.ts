/** Image batches and annotation jobs of a project as tables. */
import type { SluiceError } from '../../../preload/contract/errors.ts';
import { sortedRows } from '../../text/sortedRows.ts';
import { formatCount } from '../../../preload/contract/figures.ts';
import type { ImageBatch } from '../../../preload/contract/serviceRecords.ts';
import type { CountedJob } from './annotationWords.ts';

export type ImageBatchColumn = 'name' | 'images' | 'jobs' | 'createdAt';

/** The batches whose name or id contains the search, in order; rows without a value come last in either direction. */
export function sortImageBatches(
  rows: readonly ImageBatch[],
  search: string,
  column: ImageBatchColumn,
  descending: boolean,
): readonly ImageBatch[] {
  const wanted = search.trim().toLowerCase();
  const found = rows.filter(
    ({ name, imageBatchId }) =>
      name.toLowerCase().includes(wanted) || imageBatchId.toLowerCase().includes(wanted),
  );
  const named = sortedRows(found, ({ name }) => name, descending && column === 'name');
  return sortedRows(named, (batch) => batch[column], descending);
}

/**
 * The parts of an annotation job's images that someone has worked on; together never more than there are. `waiting`: annotated but not
 * reviewed yet. The service counts reviewed images as annotated too, and its counts may be inconsistent.
 */
export function annotationProgress(job: CountedJob): {
  readonly approved: number;
  readonly rejected: number;
  readonly waiting: number;
} {
  const images = Math.max(0, job.images);
  const approved = Math.min(images, Math.max(0, job.approved ?? 0));
  const rejected = Math.min(images - approved, Math.max(0, job.rejected ?? 0));
  const waiting = Math.min(
    images - approved - rejected,
    Math.max(0, job.annotated - approved - rejected),
  );
  return { approved, rejected, waiting };
}

export interface AnnotationJobForm {
  readonly name: string;
  readonly imageBatchId: string;
  readonly images: number | null;
  readonly labelerEmail: string;
  readonly reviewerEmail: string;
}

/** What is wrong, by field; empty when it can be sent. */
export type AnnotationJobProblems = Partial<Record<keyof AnnotationJobForm, string>>;

const EMAIL = /^[^\s@,;<>"]{1,64}@[^\s@,;<>"]+\.[^\s@.,;<>"]{2,}$/;

function emailProblem(text: string, who: string): string | null {
  const email = text.trim();
  if (email === '') return `Enter the ${who}’s email.`;
  if (email.length > 320 || !EMAIL.test(email)) return 'Enter a valid email.';
  return null;
}

/** The service's own message, at the address field that it names; null when it names neither. */
export function refusedAddress(
  { context }: Pick<SluiceError, 'context'>,
  { labelerEmail, reviewerEmail }: AnnotationJobForm,
): AnnotationJobProblems | null {
  const words = String(context['said'] ?? context['reason'] ?? '');
  const names = (email: string): boolean =>
    email.trim() !== '' && words.toLowerCase().includes(email.trim().toLowerCase());
  if (names(labelerEmail)) return { labelerEmail: words };
  return names(reviewerEmail) ? { reviewerEmail: words } : null;
}

export function annotationJobProblems(
  form: AnnotationJobForm,
  batches: readonly ImageBatch[],
): AnnotationJobProblems {
  const problems: AnnotationJobProblems = {};
  const name = form.name.trim();
  if (name === '') problems.name = 'Enter a name.';
  if (name.length > 200) problems.name = 'At most 200 characters.';
  const batch = batches.find(({ imageBatchId }) => imageBatchId === form.imageBatchId);
  const most = batch?.images ?? null;
  if (batch === undefined) problems.imageBatchId = 'Choose an image batch.';
  if (batch?.images === 0) {
    problems.imageBatchId = 'This image batch is empty. Choose another one.';
  }
  if (form.images === null || !Number.isInteger(form.images) || form.images < 1) {
    problems.images = 'Enter a whole number, at least 1.';
  } else if (most !== null && form.images > most) {
    problems.images = `The image batch holds ${formatCount(most)} images; that is the most.`;
  }
  const labeler = emailProblem(form.labelerEmail, 'labeler');
  if (labeler !== null) problems.labelerEmail = labeler;
  const reviewer = emailProblem(form.reviewerEmail, 'reviewer');
  if (reviewer !== null) problems.reviewerEmail = reviewer;
  return problems;
}
