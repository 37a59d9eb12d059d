/** A new connection being entered: checked with the service as soon as it has a key, and added by the user. */
import type { InputOf } from '../../preload/contract/requests.ts';
import type { SluiceError } from '../../preload/contract/errors.ts';
import { connectionProblems, type ConnectionForm } from '../views/settings/settingsCheck.ts';
import { request } from './bridge.ts';

const QUIET_MS = 500;
/** Anything shorter cannot be a key yet. */
const SHORTEST_KEY = 4;

export type NewConnection = ReturnType<typeof newConnection>;

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

/** Starts with the default address. Call while a component is being created. */
export function newConnection() {
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

  // An input error shows before anything is stored.
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
    /** The workspace that the service named for the current input; null until then. */
    get found() {
      return found;
    },
    /** Why it was not found or not added. With `found` set, it can be added but the user did not agree. */
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
    /** Adds what was found; returns its workspace, or null on failure. */
    async add() {
      if (found === null || adding) return null;
      const workspace = found;
      adding = true;
      error = null;
      const answer = await request('connection.add', inputOf(form));
      adding = false;
      if (!answer.ok) {
        error = answer.error;
        // A user who did not agree to how the key is stored may choose again: the key is still valid.
        if (answer.error.code !== 'usage.invalid') found = null;
        return null;
      }
      form = { ...form, apiKey: '' };
      return workspace;
    },
  };
}
