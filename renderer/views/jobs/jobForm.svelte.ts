/** The form that starts a job: fetches what it needs, keeps what is typed, and sends the request. */
import type { SluiceError } from '../../../preload/contract/errors.ts';
import type { BatchRow } from '../../../preload/contract/records.ts';
import { request } from '../../state/bridge.ts';
import { polled } from '../../state/polled.svelte.ts';
import { firstChoice, type JobChoice, jobChoices } from './jobChoices.ts';
import { draftFrom, givenName, type JobDraft, readDraft } from './jobDraft.ts';
import type { DraftProps } from './draftProps.ts';

const MOST_BATCHES = 200;

export interface JobForm {
  /** The properties passed to every field group; null while the form is loading. */
  readonly fields: DraftProps | null;
  readonly choices: readonly JobChoice[];
  /** True when the content of the chosen batch is not known here. */
  readonly asksKind: boolean;
  /** Where outputs are downloaded automatically; '' leaves them on the service. */
  downloadTo: string;
  readonly reading: boolean;
  /** Why the batches could not be read. */
  readonly unread: SluiceError | null;
  /** Why the form could not be filled with the options of the last job. */
  readonly unremembered: SluiceError | null;
  /** Why the service did not accept the job. */
  readonly refusal: SluiceError | null;
  readonly busy: boolean;
  readAgain(): void;
  /** Starts the job and returns its id; null when something is wrong or the service refused it. */
  start(): Promise<string | null>;
}

/** Starts with the options of the last job. `batchId` is '' when the batch is to be chosen. */
export function jobForm(batchId: string): JobForm {
  let draft = $state.raw<JobDraft | null>(null);
  let downloadTo = $state('');
  let batches = $state.raw<readonly BatchRow[]>([]);
  let tried = $state(false);
  let busy = $state(false);
  let refusal = $state.raw<SluiceError | null>(null);
  let unremembered = $state.raw<SluiceError | null>(null);

  const ready = polled(load, () => null);
  const answer = $derived(draft === null ? null : readDraft(draft));
  const wrong = $derived(tried && answer !== null && !answer.ok ? answer.wrong : {});
  const choices = $derived(jobChoices(batches, draft?.batchId ?? batchId));

  async function load(): ReturnType<typeof request<'batch.page'>> {
    const [page, last, named] = await Promise.all([
      request('batch.page', { offset: 0, limit: MOST_BATCHES, search: '' }),
      request('job.lastOptions', {}),
      batchId === '' ? null : request('batch.page', { offset: 0, limit: 1, search: batchId }),
    ]);
    const found = named?.ok === true ? named.value.rows : [];
    unremembered = last.ok ? null : last.error;
    batches = page.ok ? [...page.value.rows, ...found] : found;
    const first = firstChoice(jobChoices(batches, batchId), batchId);
    const batch = batches.find((one) => one.batchId === first) ?? { batchId: first, kind: null };
    draft ??= draftFrom(batch, last.ok ? last.value : null);
    return page;
  }

  function kindOf(wanted: string): BatchRow['kind'] {
    return batches.find((batch) => batch.batchId === wanted)?.kind ?? null;
  }

  function change(next: JobDraft): void {
    const kind = kindOf(next.batchId);
    const moved = next.batchId !== draft?.batchId;
    draft = moved && kind !== null ? { ...next, kind } : next;
    refusal = null;
  }

  async function start(): Promise<string | null> {
    tried = true;
    if (draft === null || answer === null || !answer.ok || busy) return null;
    busy = true;
    const { jobId, options } = answer;
    const { batchId: over, kind } = draft;
    const name = answer.name ?? givenName(draft);
    const to = downloadTo === '' ? null : downloadTo;
    const job = { batchId: over, kind, jobId, name, options, downloadTo: to };
    const said = await request('job.start', job);
    busy = false;
    refusal = said.ok ? null : said.error;
    return said.ok ? said.value.jobId : null;
  }

  return {
    get fields() {
      return draft === null ? null : { draft, wrong, onchange: change };
    },
    get choices() {
      return choices;
    },
    get asksKind() {
      return draft !== null && draft.batchId !== '' && kindOf(draft.batchId) === null;
    },
    get downloadTo() {
      return downloadTo;
    },
    set downloadTo(path) {
      downloadTo = path;
    },
    get reading() {
      return ready.loading;
    },
    get unread() {
      return ready.error;
    },
    get unremembered() {
      return unremembered;
    },
    get refusal() {
      return refusal;
    },
    get busy() {
      return busy;
    },
    readAgain: () => ready.refresh(),
    start,
  };
}
