/** The application menu, kept separate so that `app` need not know how menus are made. */
import type { Menu } from './menu.ts';

let applicationMenu: Menu | null = null;

/** The application menu; null when there is none. */
export function getApplicationMenu(): Menu | null {
  return applicationMenu;
}

/** Sets the application menu. */
export function setApplicationMenu(menu: Menu | null): void {
  applicationMenu = menu;
}
