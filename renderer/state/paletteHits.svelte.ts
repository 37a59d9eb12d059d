/** What the command palette has found for the typed text, and which row is chosen. */
import { groupHits, searchPalette } from '../text/paletteSearch.ts';
import { retryProblems } from '../views/problems/retryProblems.ts';
import type { PaletteCommand } from './paletteActions.ts';
import { foundCommands, ownCommands, projectCommands, viewsOwnBatch } from './paletteEntries.ts';
import { snapshotOrNull } from './snapshot.svelte.ts';

const MOST = 80;
const PAUSE_MS = 120;

/** Asks the ledger for batches and jobs shortly after the last key press, and for the projects once. */
function asked(typed: () => string): () => readonly PaletteCommand[] {
  let found = $state.raw<readonly PaletteCommand[]>([]);
  let projects = $state.raw<readonly PaletteCommand[]>([]);
  $effect(() => {
    const search = typed().trim();
    let ended = false;
    const timer = setTimeout(() => {
      void foundCommands(search).then((list) => {
        if (!ended) found = list;
      });
    }, PAUSE_MS);
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  });
  $effect(() => {
    void projectCommands().then((list) => (projects = list));
  });
  return () => [...found, ...projects];
}

/** Starts empty. Call while a component is being created; one instance lasts as long as the palette is open. */
export function paletteHits() {
  let typed = $state('');
  let active = $state(0);
  let hasReceipt = $state(true);
  const elsewhere = asked(() => typed);
  $effect(() => void viewsOwnBatch().then((own) => (hasReceipt = own)));
  const own = $derived.by(() => {
    const now = snapshotOrNull();
    if (now === null) return [];
    return ownCommands(now, hasReceipt, () => void retryProblems('all', () => undefined));
  });
  const groups = $derived(groupHits(searchPalette(typed, [...own, ...elsewhere()], MOST)));
  // The keys move in display order, from top to bottom.
  const order = $derived(groups.flatMap((group) => group.hits));
  const at = $derived(Math.min(active, order.length - 1));
  return {
    get typed() {
      return typed;
    },
    set typed(text) {
      typed = text;
      active = 0;
    },
    /** By group, in display order. */
    get groups() {
      return groups;
    },
    /** From top to bottom. */
    get order() {
      return order;
    },
    /** The chosen row; -1 when nothing was found. */
    get at() {
      return at;
    },
    choose: (index: number) => (active = index),
    /** Moves the choice, wrapping around at the ends. */
    move(step: number) {
      if (order.length > 0) active = (at + step + order.length) % order.length;
    },
  };
}
