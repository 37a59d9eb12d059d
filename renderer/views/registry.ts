/** Which component draws which view: `views/<name>/<Name>View.svelte`, loaded when it is first opened. */
/// <reference types="vite/client" />
import type { Component } from 'svelte';
import type { ViewName } from '../state/route.ts';
import { capitalized } from '../text/sentence.ts';

const FOUND = import.meta.glob<{ readonly default: Component }>('./*/*View.svelte');

/** Loads a view; null when there is none with this name. */
export async function loadView(name: ViewName): Promise<Component | null> {
  const file = `${capitalized(name)}View.svelte`;
  const load = FOUND[`./${name}/${file}`];
  return load === undefined ? null : (await load()).default;
}
