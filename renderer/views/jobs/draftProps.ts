/** What the groups of fields of the form that starts a job share. */
import type { DraftField, JobDraft } from './jobDraft.ts';

/** The form as it stands, what is wrong with it, and how it is changed. */
export interface DraftProps {
  readonly draft: JobDraft;
  readonly wrong: Readonly<Partial<Record<DraftField, string>>>;
  readonly onchange: (draft: JobDraft) => void;
}
