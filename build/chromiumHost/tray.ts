/** `Tray`: not shown, but tests can read and click it. */
import type { Menu } from './menu.ts';
import { HostEmitter } from './notOnHost.ts';
import { records } from './records.ts';

/** An icon near the clock. Lives until `destroy`. */
export class Tray extends HostEmitter {
  menu: Menu | null = null;

  constructor(_image: unknown) {
    super();
    records.trays.add(this);
  }

  setToolTip = (_text: string): void => undefined;
  setImage = (_image: unknown): void => undefined;
  setContextMenu = (menu: Menu | null): void => void (this.menu = menu);
  destroy = (): void => void records.trays.delete(this);
}
