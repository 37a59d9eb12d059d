/** The words for the states of an item, and what they mean. */
import type { Component } from 'svelte';
import type { ItemRow } from '../../../preload/contract/records.ts';
import type { Counts } from '../../../preload/contract/records.ts';

export type Tone = 'quiet' | 'moving' | 'confirmed' | 'waiting' | 'needs';

export interface StateWords {
  readonly word: string;
  readonly tone: Tone;
  readonly meaning: string;
  /** In place of that of the tone. */
  readonly icon?: Component<{ size?: number }>;
}

const STATES: Readonly<Record<ItemRow['state'], StateWords>> = {
  queued: { word: 'Waiting', tone: 'quiet', meaning: 'Waiting to upload.' },
  planned: { word: 'Waiting', tone: 'quiet', meaning: 'In its batch, waiting to upload.' },
  sending: { word: 'Uploading', tone: 'moving', meaning: 'On its way to the service.' },
  sent: {
    word: 'To confirm',
    tone: 'waiting',
    meaning: 'All bytes left this computer. The service has not confirmed it yet.',
  },
  unknown: {
    word: 'Checking',
    tone: 'waiting',
    meaning: 'The answer was lost. Sluice asks the service before it sends anything again.',
  },
  confirmed: {
    word: 'Confirmed',
    tone: 'confirmed',
    meaning: 'The service lists it in the batch: it is there, once.',
  },
  skipped: { word: 'Skipped', tone: 'quiet', meaning: 'Not uploaded, for the reason beside it.' },
  parked: { word: 'Needs attention', tone: 'needs', meaning: 'Waiting for your decision.' },
};

export function itemStateWords(state: ItemRow['state']): StateWords {
  return STATES[state];
}

export interface Segment {
  readonly key: 'confirmed' | 'sent' | 'sending' | 'waiting' | 'attention';
  readonly label: string;
  readonly count: number;
  readonly fraction: number;
}

/** The segments of a bar over everything to upload; what is left out does not count. */
export function segmentsOf(counts: Counts): readonly Segment[] {
  const { confirmed, sent, sending, queued, attention } = counts;
  const rest = Math.max(0, counts.found - counts.skipped - confirmed - sent - sending - attention);
  const waiting = Math.max(queued, rest);
  const whole = confirmed + sent + sending + waiting + attention;
  const part = (key: Segment['key'], label: string, count: number): Segment => ({
    key,
    label,
    count,
    fraction: whole === 0 ? 0 : count / whole,
  });
  return [
    part('confirmed', 'confirmed', confirmed),
    part('sent', 'to confirm', sent),
    part('sending', 'uploading', sending),
    part('waiting', 'waiting', waiting),
    part('attention', attention === 1 ? 'needs attention' : 'need attention', attention),
  ];
}
