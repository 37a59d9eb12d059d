import type { DraftField, JobDraft } from './jobDraft.ts';

/** The current form, what is wrong with it, and how to change it. */
export interface DraftProps {
  readonly draft: JobDraft;
  readonly wrong: Readonly<Partial<Record<DraftField, string>>>;
  readonly onchange: (draft: JobDraft) => void;
}
