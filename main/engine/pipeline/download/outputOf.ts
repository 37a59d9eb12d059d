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

/** What the list of a part has shown under one name so far. */
interface Namesakes {
  /** How many rows. */
  rows: number;
  /** Stored objects. */
  readonly objects: string[];
  /** Ids of the outputs that these rows were matched to. */
  readonly ids: number[];
}

/** `again`: the list showed this object before. `later`: only the end of the list shows whether it is a new output. */
type Recognized = Output | 'again' | 'later';

function createNamesakes() {
  const shown = new Map<string, Namesakes>();
  let doubled = 0;
  let nameSum = 0;
  const named = ({ part, fileName }: OutputName): Namesakes => {
    const key = `${part}\n${fileName}`;
    const known = shown.get(key) ?? { rows: 0, objects: [], ids: [] };
    shown.set(key, known);
    return known;
  };
  return {
    named,
    /** Counts another row of a name. */
    count: (name: OutputName): void => {
      const namesakes = named(name);
      nameSum += crc32c(Buffer.from(`${name.part}\n${name.fileName}\n${namesakes.rows}`), 0);
      if (namesakes.rows > 0) doubled += 1;
      namesakes.rows += 1;
    },
    endPart: () => shown.clear(),
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
  const { named, count, endPart, doubled, nameSum } = createNamesakes();
  const keepsAddresses = createAddressCheck(store);
  let repeats = false;

  const take = ({ name, object }: ListedRow, known: Output): Output => {
    named(name).ids.push(known.id);
    if (object === null || known.object !== null) return known;
    noteObject(store, known.id, object);
    return { ...known, object };
  };
  /** The outputs of a name, and those of them that the list has not shown yet. */
  const outputsOf = (name: OutputName) => {
    const all = outputsNamed(store, name);
    const { ids } = named(name);
    return { all, unshown: all.filter(({ id }) => !ids.includes(id)) };
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
      const { objects } = named(name);
      count(name);
      if (object !== null && objects.includes(object)) {
        repeats = true;
        return 'again';
      }
      if (object !== null) objects.push(object);
      const { all, unshown } = outputsOf(name);
      const first = unshown[0];
      if (first === undefined) return addNew(row, all);
      const same = unshown.find((one) => one.object !== null && one.object === object);
      const unclear = same ?? unshown.find((one) => one.object === null || object === null);
      if (unclear !== undefined) return take(row, unclear);
      return keepsAddresses(page) ? 'later' : take(row, first);
    },
    /**
     * The output of a row that waited for the end of the list. If the list does not show a known output of this name any more, that output
     * has a new address, and the row is that output. If the list shifted while it was read, this cannot be concluded, and the row is a new
     * output.
     */
    settle: (row: ListedRow): Output => {
      const { all, unshown } = outputsOf(row.name);
      const gone = repeats ? undefined : unshown[0];
      return gone === undefined ? addNew(row, all) : take(row, gone);
    },
    /** Forgets the part whose list has ended. */
    endPart,
    /** How many rows had the name of an earlier one. */
    doubled,
    /** True when an object was listed twice. */
    repeats: () => repeats,
    /** Equal for two readings with the same names equally often, in any order. */
    nameSum,
  };
}

export type Recognizer = ReturnType<typeof createRecognizer>;
