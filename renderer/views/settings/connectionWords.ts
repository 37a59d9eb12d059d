import type { ConnectionView } from '../../../preload/contract/snapshot.ts';
import type { StateWords } from '../batches/itemStates.ts';

const STATES: Readonly<Record<ConnectionView['state'], StateWords>> = {
  checking: { word: 'Connecting', tone: 'waiting', meaning: 'Contacting the service.' },
  ready: {
    word: 'Connected',
    tone: 'confirmed',
    meaning: 'The service is reachable and accepts the key.',
  },
  refused: {
    word: 'Key refused',
    tone: 'needs',
    meaning: 'Enter a valid API key. Queued files are kept.',
  },
  unreachable: {
    word: 'Not reachable',
    tone: 'waiting',
    meaning: 'Nothing is lost. Resumes automatically when the service answers.',
  },
  locked: {
    word: 'Key needed',
    tone: 'needs',
    meaning: 'The stored key can’t be read. Enter it again; queued files are kept.',
  },
};

export function connectionWords({ state }: Pick<ConnectionView, 'state'>): StateWords {
  return STATES[state];
}
