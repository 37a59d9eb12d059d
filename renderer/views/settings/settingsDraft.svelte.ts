/** The settings as edited: saved with each change, and shown before main confirms them. */
import { perform } from '../../state/bridge.ts';
import { snapshot } from '../../state/snapshot.svelte.ts';
import { settingsProblems } from './settingsCheck.ts';
import type { Settings } from '../../../preload/contract/settings.ts';

export type SettingsDraft = ReturnType<typeof settingsDraft>;

export function settingsDraft() {
  let written = $state.raw<Settings | null>(null);
  // Until a snapshot newer than the answer arrives, the edited values are shown: otherwise the old ones would flash up.
  let answeredAt = $state<number | null>(null);
  // Snapshots arrive several times a second; only changed settings may replace what is being typed in a control.
  let known = snapshot().settings;
  const inForce = $derived.by(() => {
    const { settings } = snapshot();
    if (JSON.stringify(settings) !== JSON.stringify(known)) known = settings;
    return known;
  });
  const value = $derived(
    written !== null && (answeredAt === null || snapshot().revision <= answeredAt)
      ? written
      : inForce,
  );
  const problems = $derived(settingsProblems(value));
  let last = 0;

  async function save(settings: Settings, mine: number): Promise<void> {
    const done = await perform('settings.save', settings);
    if (mine !== last) return;
    if (done) answeredAt = snapshot().revision;
    else written = null;
  }

  return {
    get value() {
      return value;
    },
    /** What is wrong, by field; nothing is saved while there is a problem. */
    get problems() {
      return problems;
    },
    change(part: Partial<Settings>) {
      const next = { ...value, ...part };
      written = next;
      answeredAt = null;
      // The answer to an earlier change must not take this one away, not even if it has a problem and is not saved.
      last += 1;
      if (Object.keys(settingsProblems(next)).length === 0) void save(next, last);
    },
  };
}
