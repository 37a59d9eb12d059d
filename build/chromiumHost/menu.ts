/** `Menu` and `MenuItem`: the host has no menu bar; tests and keyboard shortcuts click the items. */
import { setApplicationMenu } from './applicationMenu.ts';
import { HostEmitter, HostObject } from './notOnHost.ts';
import { roleOf } from './menuRoles.ts';
import { currentWindow } from './windows.ts';

/** The options of an item, as far as the host uses them. */
export interface ItemTemplate {
  readonly label?: string;
  readonly role?: string;
  readonly type?: string;
  readonly accelerator?: string | null;
  readonly enabled?: boolean;
  readonly visible?: boolean;
  readonly checked?: boolean;
  readonly submenu?: Menu | readonly (ItemTemplate | MenuItem)[];
  readonly click?: (item: MenuItem, window: unknown, event: object) => void;
}

/** One entry of a menu. */
export class MenuItem extends HostObject {
  readonly role: string | undefined;
  readonly type: string;
  readonly accelerator: string | null;
  readonly submenu: Menu | undefined;
  label: string;
  enabled: boolean;
  visible: boolean;
  checked: boolean;
  readonly #onClick: ItemTemplate['click'];

  constructor(template: ItemTemplate) {
    super();
    const { submenu, role } = template;
    this.role = role?.toLowerCase();
    this.submenu = submenu === undefined || submenu instanceof Menu ? submenu : menuOf(submenu);
    this.type = template.type ?? (this.submenu === undefined ? 'normal' : 'submenu');
    this.label = template.label ?? roleOf(this.role).label;
    this.accelerator = template.accelerator ?? roleOf(this.role).accelerator;
    this.enabled = template.enabled ?? true;
    this.visible = template.visible ?? true;
    this.checked = template.checked ?? false;
    this.#onClick = template.click;
  }

  /** Acts as if the item was chosen; does nothing when it is disabled. */
  click = (): void => {
    if (!this.enabled) return;
    if (this.type === 'checkbox') this.checked = !this.checked;
    const window = currentWindow() ?? undefined;
    if (this.#onClick === undefined) roleOf(this.role).run(window);
    else this.#onClick(this, window, {});
  };
}

function menuOf(template: readonly (ItemTemplate | MenuItem)[]): Menu {
  return Menu.buildFromTemplate(template);
}

/** A list of items. */
export class Menu extends HostEmitter {
  readonly items: MenuItem[] = [];

  static buildFromTemplate = (template: readonly (ItemTemplate | MenuItem)[]): Menu => {
    const menu = new Menu();
    for (const entry of template) {
      menu.append(entry instanceof MenuItem ? entry : new MenuItem(entry));
    }
    return menu;
  };
  static setApplicationMenu = setApplicationMenu;

  append = (item: MenuItem): void => void this.items.push(item);
}

/** Every item of a menu and its submenus. */
export function everyItem(menu: Menu): readonly MenuItem[] {
  return menu.items.flatMap((item) => [
    item,
    ...(item.submenu === undefined ? [] : everyItem(item.submenu)),
  ]);
}

/** Clicks the item at a path of labels; if it does not exist or is disabled, the error lists the items that exist. */
export function clickPath(menu: Menu, path: readonly string[]): void {
  const [label = '', ...rest] = path;
  const shown = menu.items.filter((item) => item.visible && item.type !== 'separator');
  const item = shown.find((entry) => entry.label.replaceAll('&', '') === label);
  if (item === undefined) {
    const labels = shown.map((entry) => `"${entry.label}"`).join(', ');
    throw new Error(`The menu has no "${label}", only ${labels || 'nothing'}.`);
  }
  if (!item.enabled) throw new Error(`The menu item "${label}" is disabled.`);
  if (rest.length === 0) return item.click();
  if (item.submenu === undefined) throw new Error(`The menu item "${label}" has no submenu.`);
  clickPath(item.submenu, rest);
}
