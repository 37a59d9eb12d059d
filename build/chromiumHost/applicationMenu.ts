/** The menu of the application, kept apart so that `app` need not know how menus are made. */
import type { Menu } from './menu.ts';

let applicationMenu: Menu | null = null;

/** The menu of the application; null when it has none. */
export function getApplicationMenu(): Menu | null {
  return applicationMenu;
}

/** Sets the menu of the application. */
export function setApplicationMenu(menu: Menu | null): void {
  applicationMenu = menu;
}
