/** Small pictures of files and of result images: asked for one by one, kept while they are near, never asked for twice. */
import { untrack } from 'svelte';
import { request } from './bridge.ts';

/** What a picture is of: a file of the ledger, or a result of a job. */
export type PictureOf = { readonly id: number } | { readonly jobId: string; readonly path: string };

/** Kept pictures: some screens full; each is a few kB. */
const MOST = 400;
/** Rows that only fly by while scrolling ask for nothing, ms. */
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

/** A picture that comes a moment after it is drawn. */
export interface LatePicture {
  /** A data: address; null while there is none. Set to null when it cannot be shown. */
  source: string | null;
}

/**
 * The picture of what `of` gives, which may change. To be called while a component is made. A `steady` one is kept until the next is
 * there: for what changes every second.
 */
export function latePicture(of: () => PictureOf, steady = false): LatePicture {
  let source = $state<string | null>(null);
  // The rows around it are new with every snapshot; the picture is another one only when what it shows is.
  const key = $derived(keyOf(of()));
  $effect(() => {
    void key;
    const wanted = untrack(of);
    let gone = false;
    if (!steady) source = null;
    const timer = setTimeout(async () => {
      const found = await picture(wanted);
      if (!gone && (found !== null || !steady)) source = found;
    }, REST_MS);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  });
  return {
    get source() {
      return source;
    },
    set source(next) {
      source = next;
    },
  };
}
