/** A connection that is being written: tried at the service as soon as its key is there, and added by a person. */
import type { InputOf } from '../../preload/contract/requests.ts';
import type { SluiceError } from '../../preload/contract/errors.ts';
import {
  connectionProblems,
  type ConnectionForm,
  type ConnectionProblems,
} from '../views/settings/settingsCheck.ts';
import { request } from './bridge.ts';

const QUIET_MS = 500;
/** Shorter is not a key yet. */
const SHORTEST_KEY = 4;

/** What the form shows and does. */
export interface NewConnection {
  form: ConnectionForm;
  readonly problems: ConnectionProblems;
  /** The workspace that the service named for what is written now; null until it did. */
  readonly found: string | null;
  /** Why it was not found or not added. Beside `found`: it can be added, and the person did not agree. */
  readonly error: SluiceError | null;
  readonly checking: boolean;
  readonly adding: boolean;
  /** Asks the service again. */
  check(): void;
  /** Adds what was found; its workspace, or null when that failed. */
  add(): Promise<string | null>;
}

function orNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}

function inputOf(form: ConnectionForm): InputOf<'connection.check'> {
  return {
    apiUrl: form.apiUrl.trim(),
    projectsUrl: orNull(form.projectsUrl),
    apiKey: form.apiKey.trim(),
    workspace: orNull(form.workspace),
  };
}

const EMPTY: ConnectionForm = {
  apiUrl: 'https://api.roboflow.com',
  projectsUrl: '',
  apiKey: '',
  workspace: '',
};

/** Begins with the usual address. To be called while a component is made. */
export function newConnection(): NewConnection {
  let form = $state.raw(EMPTY);
  let found = $state.raw<string | null>(null);
  let error = $state.raw<SluiceError | null>(null);
  let checking = $state(false);
  let adding = $state(false);
  let round = $state(0);
  const problems = $derived(connectionProblems(form));
  const ready = $derived(
    form.apiKey.trim().length >= SHORTEST_KEY && Object.keys(problems).length === 0,
  );

  // A mistake shows before anything is kept.
  $effect(() => {
    const asked = inputOf(form);
    void round;
    found = null;
    error = null;
    checking = ready;
    if (!ready) return;
    let dropped = false;
    const timer = setTimeout(async () => {
      const answer = await request('connection.check', asked);
      if (dropped) return;
      checking = false;
      if (answer.ok) found = answer.value.workspace;
      else error = answer.error;
    }, QUIET_MS);
    return () => {
      dropped = true;
      clearTimeout(timer);
    };
  });

  return {
    get form() {
      return form;
    },
    set form(next) {
      form = next;
    },
    get problems() {
      return problems;
    },
    get found() {
      return found;
    },
    get error() {
      return error;
    },
    get checking() {
      return checking;
    },
    get adding() {
      return adding;
    },
    check: () => (round += 1),
    async add() {
      if (found === null || adding) return null;
      const workspace = found;
      adding = true;
      error = null;
      const answer = await request('connection.add', inputOf(form));
      adding = false;
      if (!answer.ok) {
        error = answer.error;
        // A person who did not agree to how the key is kept may choose again: the key is as good as before.
        if (answer.error.code !== 'usage.invalid') found = null;
        return null;
      }
      form = { ...form, apiKey: '' };
      return workspace;
    },
  };
}
