/** What a rule would do now, requested shortly after its last change. */
import type { SluiceError } from '../../../preload/contract/errors.ts';
import type { RulePreview } from '../../../preload/contract/records.ts';
import type { WatchRule } from '../../../preload/contract/watchRule.ts';
import { request } from '../../state/bridge.ts';

const QUIET_MS = 350;

/** Requests the preview of the rule, none while it is null; `watchId`: the watch it belongs to. Call while creating a component. */
export function askedPreview(
  rule: () => WatchRule | null,
  watchId: () => number | null = () => null,
) {
  let preview = $state.raw<RulePreview | null>(null);
  let error = $state.raw<SluiceError | null>(null);
  // Requests only when the rule changes, not when a field was merely touched.
  const question = $derived(rule() === null ? null : JSON.stringify(rule()));
  $effect(() => {
    const asked = question;
    if (asked === null) return;
    let dropped = false;
    const timer = setTimeout(async () => {
      const answer = await request('watch.preview', {
        rule: JSON.parse(asked),
        watchId: watchId(),
      });
      if (dropped) return;
      preview = answer.ok ? answer.value : null;
      error = answer.ok ? null : answer.error;
    }, QUIET_MS);
    return () => {
      dropped = true;
      clearTimeout(timer);
    };
  });
  return {
    /** The last answer stays until the next one arrives. */
    get preview() {
      return preview;
    },
    get error() {
      return error;
    },
  };
}
