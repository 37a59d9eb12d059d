export interface PaletteEntry {
  readonly id: string;
  readonly label: string;
  /** A second line: a path, an id, a state. */
  readonly detail: string;
  readonly group:
    | 'Views'
    | 'Actions'
    | 'Settings'
    | 'Watched folders'
    | 'Batches'
    | 'Jobs'
    | 'Projects'
    | 'Files';
  /** The keys that do the same, as in the list of shortcuts. */
  readonly keys?: readonly string[];
  /** Other words people may type for it. */
  readonly also: string;
}

/** An entry that was found, and which letters of its label matched. */
export interface PaletteHit<T extends PaletteEntry> {
  readonly entry: T;
  readonly score: number;
  readonly marks: readonly number[];
}

const START = 8;
const FOLLOWS = 5;
const GAP = 0.15;

function isStart(text: string, at: number): boolean {
  return at === 0 || /[\s/_.:-]/.test(text.charAt(at - 1));
}

/** The positions of the query's letters in the text, whole words preferred; null when there is no match. */
function placesOf(query: string, text: string): readonly number[] | null {
  for (let whole = text.indexOf(query); whole !== -1; whole = text.indexOf(query, whole + 1)) {
    if (isStart(text, whole)) return Array.from({ length: query.length }, (_, at) => whole + at);
  }
  const inside = text.indexOf(query);
  if (inside !== -1) return Array.from({ length: query.length }, (_, at) => inside + at);
  // Scattered letters count only from the start of a word: otherwise they would match every long name.
  const places: number[] = [];
  let from = 0;
  for (const letter of query) {
    const at = text.indexOf(letter, from);
    if (at === -1 || (places.length === 0 && !isStart(text, at))) return null;
    places.push(at);
    from = at + letter.length;
  }
  return places;
}

function scoreOf(places: readonly number[], text: string): number {
  // A match at the start is more likely than one in the middle.
  let score = places[0] === 0 ? 1 : 0;
  places.forEach((at, index) => {
    const before = places[index - 1];
    if (isStart(text, at)) score += START;
    if (before !== undefined) score += at === before + 1 ? FOLLOWS : -GAP * (at - before);
  });
  return score - text.length * 0.02;
}

/** How well a query matches an entry; null for no match. The label counts more than the other words. */
function meet<T extends PaletteEntry>(query: string, entry: T): PaletteHit<T> | null {
  const label = entry.label.toLowerCase();
  const inLabel = placesOf(query, label);
  if (inLabel !== null) return { entry, score: scoreOf(inLabel, label) + 20, marks: inLabel };
  const rest = `${entry.also} ${entry.detail}`.toLowerCase();
  const at = rest.indexOf(query);
  if (at === -1) return null;
  return { entry, score: isStart(rest, at) ? 10 : 2, marks: [] };
}

/** The entries that match the typed text, best first, up to a limit. An empty query returns all in their order. */
export function searchPalette<T extends PaletteEntry>(
  typed: string,
  entries: readonly T[],
  most: number,
): readonly PaletteHit<T>[] {
  const query = typed.trim().toLowerCase().replaceAll(/\s+/g, ' ');
  if (query === '') return entries.slice(0, most).map((entry) => ({ entry, score: 0, marks: [] }));
  return entries
    .flatMap((entry) => meet(query, entry) ?? [])
    .toSorted((one, other) => other.score - one.score)
    .slice(0, most);
}

/** A run of letters in a label, all matched or all unmatched. */
export interface LabelRun {
  readonly text: string;
  readonly meant: boolean;
}

/** The label, split where matched letters begin and end. A longer one than `longest` lacks its middle: names differ at their ends. */
export function labelRuns(
  label: string,
  marks: readonly number[],
  longest = Infinity,
): readonly LabelRun[] {
  const isLong = label.length > longest;
  const from = isLong ? Math.floor(longest * 0.4) : label.length;
  const to = isLong ? label.length - (longest - from - 1) : label.length;
  const meant = new Set(marks);
  const runs: { text: string; meant: boolean }[] = [];
  const add = (text: string, isMeant: boolean): void => {
    const last = runs.at(-1);
    if (last?.meant === isMeant) last.text += text;
    else runs.push({ text, meant: isMeant });
  };
  const hidden = marks.some((at) => at >= from && at < to);
  let at = 0;
  let isCut = false;
  // An emoji has two places, and half of one would be drawn as an escape.
  for (const letter of label) {
    if (at < from || at >= to) add(letter, meant.has(at));
    else if (!isCut) add('…', hidden);
    isCut ||= at >= from;
    at += letter.length;
  }
  return runs;
}

/** The hits by group, starting with the group of the best hit; within a group, best first. */
export function groupHits<T extends PaletteEntry>(
  hits: readonly PaletteHit<T>[],
): readonly { readonly group: PaletteEntry['group']; readonly hits: readonly PaletteHit<T>[] }[] {
  const groups = Map.groupBy(hits, ({ entry }) => entry.group);
  return [...groups].map(([group, found]) => ({ group, hits: found }));
}
