/** What seeds from 9,001 on draw in addition (seedKinds.ts). */
import type { Dice } from './dice.ts';
import type { Edit } from './plan.ts';

/** What happens to a computer. */
export interface Troubles {
  /** The uploads after which each process in turn is killed, counted from 1: the service has them, and the answer is on its way. */
  readonly killUploads: readonly number[];
  /** The directory is not there meanwhile, or seems empty, like a share that is not mounted. */
  readonly away: readonly {
    readonly from: number;
    readonly to: number;
    readonly isEmpty: boolean;
  }[];
}

/** What a service and whatever is in front of it do. */
export interface ServiceTroubles {
  /** Something that is stored under a name stays, and another body for it is answered with 200 and thrown away. */
  readonly keepsOlder: boolean;
  /** Some answers about a batch come from a replica that lags behind by this much, ms. */
  readonly replicaLagMs: number;
  /** Requests are sent on twice, or carried out after their end. */
  readonly meddles: boolean;
  /** How a video is listed that is registered and has no body yet: not at all, as an empty object, or with an address that is 404. */
  readonly registered: 'unlisted' | 'empty' | 'gone';
}

export const NO_TROUBLES: Troubles = { killUploads: [], away: [] };
export const NO_SERVICE_TROUBLES: ServiceTroubles = {
  keepsOlder: false,
  replicaLagMs: 0,
  meddles: false,
  registered: 'unlisted',
};

export function drawTroubles(dice: Dice, calmAt: number): Troubles {
  const kills = dice.pick([0, 0, 2, 6]);
  const away = Array.from({ length: dice.pick([0, 0, 1, 3]) }, () => {
    const from = dice.int(0, Math.floor(calmAt * 0.8));
    const to = Math.min(calmAt, from + dice.int(1, dice.pick([5_000, 120_000, calmAt])));
    return { from, to, isEmpty: dice.chance(0.5) };
  });
  return {
    killUploads: Array.from({ length: kills }, () => dice.int(1, dice.pick([1, 4, 15]))),
    away,
  };
}

/** Not drawn: a replica that lags where late bodies are stored even later: together, that is more than Sluice waits for by design. */
export function drawServiceTroubles(
  dice: Dice,
  lateCommitMs: number,
  listsRegistered: boolean,
): ServiceTroubles {
  const lag = dice.pick([0, 0, 3_000, 20_000]);
  return {
    keepsOlder: dice.chance(0.3),
    replicaLagMs: lateCommitMs > 2_000 ? 0 : lag,
    meddles: dice.chance(0.5),
    registered: listsRegistered ? dice.pick(['empty', 'gone']) : 'unlisted',
  };
}

/** Files that appear in two steps, as a slow copy does: first their beginnings. */
export function drawGrowth(dice: Dice, edits: readonly Edit[], calmAt: number): readonly Edit[] {
  if (dice.chance(0.5)) return edits;
  return edits.flatMap((edit): readonly Edit[] => {
    const { at, content, from } = edit;
    if (content === null || from !== undefined || !dice.chance(0.3)) return [edit];
    const whole = Math.min(calmAt, at + dice.int(1, dice.pick([500, 20_000, 200_000])));
    const length = Math.floor(content.length * dice.fraction());
    return [
      { ...edit, content: content.subarray(0, length), isBeginning: true },
      { ...edit, at: whole, begunAt: at },
    ];
  });
}
