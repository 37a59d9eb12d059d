/** Finds the one thing that a word, an id or a name refers to. Pure. */
import type { Result } from '../../../preload/contract/errors.ts';
import { fail, ok } from '../../engine/core/errors.ts';
import { usage } from './args.ts';

/** How many ids to show when a name matches several things. */
const SHOWN = 5;

/** The thing with this id, or the only one with this name. Errors: service.notFound; usage.invalid when a name matches several. */
export function oneByIdOrName<T extends { readonly name: string }>(
  things: readonly T[],
  wanted: string,
  idOf: (thing: T) => string,
  noun: string,
): Result<T> {
  const byId = things.find((thing) => idOf(thing) === wanted);
  if (byId !== undefined) return ok(byId);
  const named = things.filter((thing) => thing.name === wanted);
  const [only] = named;
  if (only === undefined)
    return fail('service.notFound', { said: `no ${noun} has the id or name ${wanted}` });
  if (named.length === 1) return ok(only);
  const ids = named.slice(0, SHOWN).map(idOf).join(', ');
  return usage(`${named.length} of these are named ${wanted}; name the ${noun} by its id: ${ids}`);
}

/** The slug of a project given as `slug` or `workspace/slug`. Error: usage.invalid. */
export function projectFrom(text: string, workspace: string | null): Result<string> {
  const [slug = '', before, ...more] = text.split('/').reverse();
  if (more.length > 0 || !/^[^\s?#]+$/.test(slug) || before === '') {
    return usage('a project is given as its slug, or as workspace/slug');
  }
  if (before !== undefined && workspace !== null && before !== workspace) {
    return usage(
      `the project ${slug} is given as one of ${before}, but the workspace is ${workspace}`,
    );
  }
  return ok(slug);
}
