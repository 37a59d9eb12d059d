/** Keyboard shortcuts of the application menu. */
import { getApplicationMenu } from './applicationMenu.ts';
import { everyItem } from './menu.ts';

/** A key press as the page reports it. */
export interface PressedKey {
  readonly key: string;
  readonly code: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly meta: boolean;
  readonly shift: boolean;
}

/** The modifiers in an accelerator, and the key that each of them means. */
function modifierOf(name: string, platform: string): 'ctrl' | 'alt' | 'meta' | 'shift' | null {
  if (name === 'cmdorctrl') return platform === 'darwin' ? 'meta' : 'ctrl';
  return name === 'alt' || name === 'shift' ? name : null;
}

/** True when a key press matches an accelerator such as "CmdOrCtrl+Shift+P". */
export function matchesAccelerator(
  accelerator: string,
  pressed: PressedKey,
  platform: string,
): boolean {
  const parts = accelerator.toLowerCase().split('+');
  const name = parts.pop() ?? '';
  const wanted = { ctrl: false, alt: false, meta: false, shift: false };
  for (const part of parts) {
    const modifier = modifierOf(part, platform);
    if (modifier === null) return false;
    wanted[modifier] = true;
  }
  const key = name === 'plus' ? '+' : name;
  const sameKey =
    pressed.key.toLowerCase() === key ||
    pressed.code.toLowerCase() === `key${key}` ||
    pressed.code.toLowerCase() === `digit${key}`;
  // On many keyboards "Ctrl+Plus" is typed as Shift and =.
  const shiftFits = pressed.shift === wanted.shift || (key === '+' && !wanted.shift);
  const { ctrl, alt, meta } = pressed;
  return sameKey && shiftFits && ctrl === wanted.ctrl && alt === wanted.alt && meta === wanted.meta;
}

/** Clicks the menu item whose accelerator matches the keys that a page reported. */
export function pressKey(message: Readonly<Record<string, unknown>>): void {
  const menu = getApplicationMenu();
  if (menu === null) return;
  const pressed = {
    key: String(message['key']),
    code: String(message['code']),
    ctrl: message['ctrlKey'] === true,
    alt: message['altKey'] === true,
    meta: message['metaKey'] === true,
    shift: message['shiftKey'] === true,
  };
  const item = everyItem(menu).find(
    ({ accelerator, enabled }) =>
      enabled && accelerator !== null && matchesAccelerator(accelerator, pressed, process.platform),
  );
  item?.click();
}
