/** Matches the rows of a list to the outputs in the ledger: by the stored object, or else by the place among rows of the same name. */
import { crc32c } from '../../core/crc32c.ts';
import {
  addOutput,
  noteObject,
  type Output,
  type OutputName,
  outputsNamed,
} from '../../store/tables/outputs.ts';
import type { Store } from '../../store/store.ts';
import type { Pipeline } from '../context.ts';

/** A row of a list: the name of its output, and its stored object as returned by objectAt. */
export interface ListedRow {
  readonly name: OutputName;
  readonly object: string | null;
}

/** What the list of a part has shown under a name besides the objects of its outputs in the ledger. */
interface Besides {
  /** Rows that were matched to no output yet. */
  rows: number;
  readonly objects: string[];
}

/** `again`: the list showed this object before. `later`: only the end of the list shows whether it is a new output. */
type Recognized = Output | 'again' | 'later';

/** What a list has shown so far. It may show a million rows, so that only a number is kept for an ordinary one. */
function createShown() {
  /** Ids of the outputs that rows were matched to, and whether the list showed the objects that the ledger has of them. */
  const ids = new Map<number, boolean>();
  const besides = new Map<string, Besides>();
  let doubled = 0;
  let nameSum = 0;
  const nameOf = ({ part, fileName }: OutputName): string => `${part}\n${fileName}`;
  return {
    add: ({ id }: Output, isSame: boolean): void => void ids.set(id, isSame),
    has: ({ id }: Output): boolean => ids.has(id),
    /** Notes what the ledger will not show: a row without an output, or the object of a row whose output has another. */
    addBesides: (name: OutputName, rows: number, object: string | null): void => {
      const known = besides.get(nameOf(name)) ?? { rows: 0, objects: [] };
      besides.set(nameOf(name), known);
      known.rows += rows;
      if (object !== null) known.objects.push(object);
    },
    /** Counts another row of a name with these outputs. Returns whether the list showed its object before. */
    count: ({ name, object }: ListedRow, outputs: readonly Output[]): boolean => {
      const shown = outputs.filter(({ id }) => ids.has(id));
      const also = besides.get(nameOf(name));
      const rows = shown.length + (also?.rows ?? 0);
      nameSum += crc32c(Buffer.from(`${nameOf(name)}\n${rows}`), 0);
      if (rows > 0) doubled += 1;
      if (object === null) return false;
      const isKnown = shown.some((one) => one.object === object && ids.get(one.id) === true);
      return isKnown || also?.objects.includes(object) === true;
    },
    endPart: () => {
      ids.clear();
      besides.clear();
    },
    doubled: () => doubled,
    nameSum: () => nameSum,
  };
}

/**
 * Creates a check of the rows of a page: false if the storage writes something new into each address, so that its objects cannot be
 * recognised. The ledger is asked once for each page, which may have thousands of rows.
 */
function createAddressCheck(store: Store): (page: readonly ListedRow[]) => boolean {
  const kept = new WeakMap<readonly ListedRow[], boolean>();
  return (page) => {
    const isKept =
      kept.get(page) ??
      page.some(
        ({ name, object }) =>
          object !== null && outputsNamed(store, name).some((one) => one.object === object),
      );
    kept.set(page, isKept);
    return isKept;
  };
}

/** Recognises the rows of the list of a batch; called in a transaction. `path` gives the path of a new output. */
export function createRecognizer(
  { store, ports }: Pipeline,
  path: (name: OutputName) => string,
  unpack: boolean,
) {
  const shown = createShown();
  const keepsAddresses = createAddressCheck(store);
  let repeats = false;

  const take = ({ name, object }: ListedRow, known: Output): Output => {
    const isSame = known.object === null || known.object === object;
    shown.add(known, isSame);
    if (!isSame) shown.addBesides(name, 0, object);
    if (object === null || known.object !== null) return known;
    noteObject(store, known.id, object);
    return { ...known, object };
  };
  const addNew = (row: ListedRow, all: readonly Output[]): Output => {
    const { name, object } = row;
    const occurrence = (all.at(-1)?.occurrence ?? -1) + 1;
    const output = { ...name, occurrence, path: path(name), unpack, object };
    return take(row, addOutput(store, output, ports.clock.now()));
  };

  return {
    /** The output of a row of a page. */
    recognize: (row: ListedRow, page: readonly ListedRow[]): Recognized => {
      const { name, object } = row;
      const all = outputsNamed(store, name);
      if (shown.count(row, all)) {
        shown.addBesides(name, 1, null);
        repeats = true;
        return 'again';
      }
      const unshown = all.filter((one) => !shown.has(one));
      const first = unshown[0];
      if (first === undefined) return addNew(row, all);
      const same = unshown.find((one) => one.object !== null && one.object === object);
      const unclear = same ?? unshown.find((one) => one.object === null || object === null);
      if (unclear !== undefined) return take(row, unclear);
      if (!keepsAddresses(page)) return take(row, first);
      shown.addBesides(name, 1, object);
      return 'later';
    },
    /**
     * The output of a row that waited for the end of the list. If the list does not show a known output of this name any more, that output
     * has a new address, and the row is that output. If the list shifted while it was read, this cannot be concluded, and the row is a new
     * output.
     */
    settle: (row: ListedRow): Output => {
      const all = outputsNamed(store, row.name);
      const gone = repeats ? undefined : all.find((one) => !shown.has(one));
      return gone === undefined ? addNew(row, all) : take(row, gone);
    },
    /** Forgets the part whose list has ended. */
    endPart: shown.endPart,
    /** How many rows had the name of an earlier one. */
    doubled: shown.doubled,
    /** True when an object was listed twice. */
    repeats: () => repeats,
    /** Equal for two readings with the same names equally often, in any order. */
    nameSum: shown.nameSum,
  };
}

export type Recognizer = ReturnType<typeof createRecognizer>;
