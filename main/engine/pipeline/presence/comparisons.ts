/** Compares many listed objects with our files, without asking a storage about every one of them while it lets nothing be read. */
import type { SluiceError } from '../../core/errors.ts';
import type { Pipeline } from '../context.ts';
import { createTurns } from '../turns.ts';
import type { ContentMatch } from './sameContent.ts';

/**
 * After this many unreadable objects in a row, only one object of each page is tried: the storage lets nothing be read for now, or never
 * does. Our choice.
 */
const UNREADABLE = 32;

/** The comparisons of one pass through a list. */
export class Comparisons {
  /** How many objects in a row could not be read, and why the last of them could not. */
  private unreadable = 0;
  private error: SluiceError | null = null;
  /** How long they took, in ms. */
  ms = 0;

  private async once(
    isTried: boolean,
    compare: () => Promise<ContentMatch>,
  ): Promise<ContentMatch> {
    if (!isTried) {
      // That objects do not exist says nothing about this one.
      const error = this.error?.code === 'service.notFound' ? null : this.error;
      return { kind: 'unknown', error, others: this.error };
    }
    const found = await compare();
    if (found.kind !== 'unknown') this.unreadable = 0;
    else if (found.error !== null) {
      this.unreadable += 1;
      this.error = found.error;
    }
    return found;
  }

  /**
   * Compares the objects of a page, in random order: a few unreadable ones next to each other say nothing about the others. What was not
   * reached before the pipeline stopped is unknown.
   */
  async ofPage<T>(
    { ports: { clock, random }, signal }: Pipeline,
    objects: readonly T[],
    atOnce: number,
    compare: (object: T) => Promise<ContentMatch>,
  ): Promise<readonly (readonly [object: T, found: ContentMatch])[]> {
    const began = clock.monotonicMs();
    const results: (readonly [T, ContentMatch])[] = [];
    const isLost = (): boolean => this.unreadable >= UNREADABLE;
    const work = async (object: T, isTried: boolean): Promise<void> => {
      results.push([object, await this.once(isTried && !signal.aborted, () => compare(object))]);
    };
    const places = objects.map((object) => ({ object, place: random.fraction() }));
    const order = places.sort((one, other) => one.place - other.place);
    const rest = order.map(({ object }) => object);
    if (isLost()) for (const probe of rest.splice(0, 1)) await work(probe, true);
    const inTurn = createTurns(() => atOnce);
    await Promise.all(rest.map((object) => inTurn(() => work(object, !isLost()))));
    this.ms += clock.monotonicMs() - began;
    return results;
  }
}
