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

const NAMED: Readonly<Record<string, string>> = {
  plus: '+',
  space: ' ',
  esc: 'escape',
  return: 'enter',
  up: 'arrowup',
  down: 'arrowdown',
  left: 'arrowleft',
  right: 'arrowright',
  del: 'delete',
};

/** True when a key press matches an accelerator such as "CmdOrCtrl+Shift+P". */
export function matchesAccelerator(
  accelerator: string,
  pressed: PressedKey,
  platform: string,
): boolean {
  const parts = accelerator.split('+').map((part) => part.trim().toLowerCase());
  const name = parts.pop() ?? '';
  const wanted = { ctrl: false, alt: false, meta: false, shift: false };
  for (const part of parts) {
    if (part === 'cmdorctrl' || part === 'commandorcontrol') {
      wanted[platform === 'darwin' ? 'meta' : 'ctrl'] = true;
    } else if (part === 'ctrl' || part === 'control') wanted.ctrl = true;
    else if (part === 'cmd' || part === 'command' || part === 'meta' || part === 'super') {
      wanted.meta = true;
    } else if (part === 'alt' || part === 'option') wanted.alt = true;
    else if (part === 'shift') wanted.shift = true;
    else return false;
  }
  const key = NAMED[name] ?? name;
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
