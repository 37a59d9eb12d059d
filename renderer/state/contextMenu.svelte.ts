/** The context menu of a row: opened by the right button, the menu key or Shift+F10, one at a time. */
import type { Component } from 'svelte';

interface MenuEntry {
  readonly label: string;
  readonly icon?: Component<{ size?: number }>;
  readonly run: () => void;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  /** The key that does the same on a row, as displayed. */
  readonly key?: string;
}

/** Entries in order; `null` draws a line between groups. */
export type MenuEntries = readonly (MenuEntry | null)[];

/** An open menu: what it is about, and the point where it opens. */
export interface OpenMenu {
  readonly label: string;
  readonly entries: MenuEntries;
  readonly x: number;
  readonly y: number;
}

let current = $state.raw<OpenMenu | null>(null);

export function openMenu(): OpenMenu | null {
  return current;
}

export function showMenu(menu: OpenMenu | null): void {
  current = menu;
}

/** True for the keys that open the menu of the focused element. */
export function isMenuKey(event: KeyboardEvent): boolean {
  return event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey);
}

/** Opens a menu at the pointer; from the keyboard, at the element that it is about. Without entries there is none. */
export function showMenuOf(
  event: MouseEvent | KeyboardEvent,
  element: Element,
  label: string,
  entries: MenuEntries,
): void {
  event.preventDefault();
  event.stopPropagation();
  if (entries.length === 0) return;
  const box = element.getBoundingClientRect();
  const point =
    event instanceof KeyboardEvent
      ? { x: box.left + 24, y: box.bottom - 4 }
      : { x: event.clientX, y: event.clientY };
  showMenu({ label, entries, ...point });
}
