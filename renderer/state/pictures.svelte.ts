/** Small pictures of files and result images: requested one by one, the most recent kept, a kept one never requested again. */
import { untrack } from 'svelte';
import { request } from './bridge.ts';

/** The subject of a picture: a file of the ledger, or a result of a job. */
export type PictureOf = { readonly id: number } | { readonly jobId: string; readonly path: string };

/** How many pictures to keep: some screens full; each is a few kB. */
const MOST = 400;
/** Rows that pass by quickly while scrolling request nothing, in ms. */
const REST_MS = 120;
const known = new Map<string, Promise<string | null>>();

async function fetchOne(of: PictureOf): Promise<string | null> {
  const answer =
    'id' in of
      ? await request('item.thumbnail', of)
      : await request('result.picture', { ...of, size: 'small' });
  return answer.ok ? (answer.value?.dataUrl ?? null) : null;
}

function keyOf(of: PictureOf): string {
  return 'id' in of ? String(of.id) : `${of.jobId}\n${of.path}`;
}

function picture(of: PictureOf): Promise<string | null> {
  const key = keyOf(of);
  const found = known.get(key);
  known.delete(key);
  const wanted = found ?? fetchOne(of);
  known.set(key, wanted);
  for (const old of known.keys()) {
    if (known.size <= MOST) break;
    known.delete(old);
  }
  return wanted;
}

/** A picture that arrives a moment after its place is drawn. */
export interface LatePicture {
  /** A data: address; null while there is none. Set it to null when it cannot be shown. */
  source: string | null;
}

/**
 * The picture of what `of` returns, which may change. Call while a component is being created. A `steady` one is kept until the next has
 * loaded: for content that changes every second.
 */
export function latePicture(of: () => PictureOf, steady = false): LatePicture {
  const late = $state<LatePicture>({ source: null });
  // The row objects are new with every snapshot; the picture only changes when its subject does.
  const key = $derived(keyOf(of()));
  $effect(() => {
    void key;
    const wanted = untrack(of);
    let gone = false;
    if (!steady) late.source = null;
    const timer = setTimeout(async () => {
      const found = await picture(wanted);
      if (!gone && (found !== null || !steady)) late.source = found;
    }, REST_MS);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  });
  return late;
}
