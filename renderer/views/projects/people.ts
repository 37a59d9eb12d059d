/** People who annotated in a project before, as suggestions for the next annotation job. Pure. */
import { countOf } from '../../../preload/contract/figures.ts';
import type { AnnotationJobRow } from '../../../preload/contract/records.ts';
import type { LabelerInsights } from '../../../preload/contract/serviceRecords.ts';

export interface Person {
  readonly email: string;
  /** Their name, and how they are known. */
  readonly about: string;
}

const MOST = 6;

/** The known people for a role: first those who had it most often, then those who labeled, by number of images. */
export function peopleFor(
  role: 'labeler' | 'reviewer',
  jobs: readonly Pick<AnnotationJobRow, 'labeler' | 'reviewer'>[],
  labelers: readonly Pick<LabelerInsights, 'email' | 'displayName' | 'imagesLabeled'>[],
): readonly Person[] {
  const times = new Map<string, number>();
  for (const job of jobs) {
    const email = job[role]?.toLowerCase() ?? '';
    if (email !== '') times.set(email, (times.get(email) ?? 0) + 1);
  }
  const named = new Map(
    labelers.flatMap((one) => (one.email === null ? [] : [[one.email.toLowerCase(), one]])),
  );
  const before = [...times]
    .toSorted(([, one], [, other]) => other - one)
    .map(([email, count]): Person => {
      const name = named.get(email)?.displayName;
      const known = `${role} of ${countOf(count, 'job')}`;
      return { email, about: name === undefined ? known : `${name}, ${known}` };
    });
  const others = [...named.values()]
    .toSorted((one, other) => (other.imagesLabeled ?? 0) - (one.imagesLabeled ?? 0))
    .flatMap(({ email, displayName, imagesLabeled }): readonly Person[] =>
      email === null || times.has(email.toLowerCase())
        ? []
        : [
            {
              email: email.toLowerCase(),
              about:
                imagesLabeled === null
                  ? displayName
                  : `${displayName}, ${countOf(imagesLabeled, 'image')} labeled`,
            },
          ],
    );
  return [...before, ...others];
}

/** People whose address or name contains the typed text; empty once a full address was typed. */
export function matchingPeople(people: readonly Person[], typed: string): readonly Person[] {
  const wanted = typed.trim().toLowerCase();
  if (people.some(({ email }) => email === wanted)) return [];
  return people
    .filter(({ email, about }) => `${email} ${about}`.toLowerCase().includes(wanted))
    .slice(0, MOST);
}
