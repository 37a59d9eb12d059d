/** The words of the states of a connection. */
import type { ConnectionView } from '../../../preload/contract/snapshot.ts';
import type { StateWords } from '../batches/itemStates.ts';

const STATES: Readonly<Record<ConnectionView['state'], StateWords>> = {
  checking: { word: 'Connecting', tone: 'waiting', meaning: 'The service is being asked.' },
  ready: {
    word: 'Connected',
    tone: 'confirmed',
    meaning: 'The service answers and takes the key.',
  },
  refused: { word: 'Key refused', tone: 'needs', meaning: 'Give a valid key; what waits is kept.' },
  unreachable: {
    word: 'Not reachable',
    tone: 'waiting',
    meaning: 'Nothing is lost; it goes on as soon as the service answers.',
  },
  locked: {
    word: 'Key needed',
    tone: 'needs',
    meaning: 'No key of it can be read on this computer. Give it; what waits is kept.',
  },
};

/** The words of a connection's state. */
export function connectionWords({ state }: Pick<ConnectionView, 'state'>): StateWords {
  return STATES[state];
}
