/** Files whose names list other content: replaced by another computer, or altered by the storage. */
import type { ListedItem } from '../../store/queue/awaited.ts';
import { trialOf, type Verdict, verdictOf } from '../presence/alteredContent.ts';
import { ownShards, surplusOf } from '../presence/inventory.ts';
import type { Pipeline } from '../context.ts';
import type { ListingOutcome } from './readListing.ts';

/** What a listing says about these files. */
interface Judgement {
  /** Something else in the list shows that others fill the batch. */
  readonly others: boolean;
  /** What the trial shows; null while there is none, or it shows nothing yet. */
  readonly verdict: Verdict | null;
  /** Files that the storage may have altered: no file shows another computer. */
  readonly suspect: readonly ListedItem[];
  /** The same listing, in which the files that wait for the trial count as not compared yet. */
  readonly outcome: ListingOutcome;
}

/** Different content under our name comes from another computer or an altering storage, unless our own file was damaged in transit. */
export function isTaken({ proof }: ListedItem): boolean {
  return proof !== 'verify';
}

/** Judges the content that a listing shows under our names although it is not ours. */
export function judgeReplaced(pipeline: Pipeline, outcome: ListingOutcome): Judgement {
  const { batch, figures, tally, listing, listedAt, surplus } = outcome;
  const { foreign, sight, replaced } = listing;
  const own = ownShards(pipeline, batch);
  const others = foreign > 0 || figures.shards.length > own || surplus;
  const trial = trialOf(pipeline, batch.id);
  if (trial !== null && trial.itemId !== null) {
    const verdict = verdictOf(pipeline, batch, trial.itemId, {
      sight,
      others: Math.max(foreign, surplusOf(figures, tally)),
      listedAt,
    });
    return { others, verdict, suspect: [], outcome: waiting(outcome) };
  }
  // A shard that has not ended may be one of ours whose address was lost. A trial costs nothing: its file would be sent again anyway.
  const ended = figures.shards.filter(({ status }) => status !== 'running').length;
  if (foreign === 0 && surplusOf(figures, tally) === 0 && ended <= own)
    return { others, verdict: null, suspect: replaced, outcome: waiting(outcome) };
  const verdict = trial !== null && replaced.length > 0 ? 'failed' : null;
  return { others, verdict, suspect: [], outcome };
}

function waiting(outcome: ListingOutcome): ListingOutcome {
  const { replaced, unchecked } = outcome.listing;
  const more = replaced.map((item) => ({ ...item, error: null }));
  return {
    ...outcome,
    listing: { ...outcome.listing, replaced: [], unchecked: [...unchecked, ...more] },
  };
}
