/** `Tray`: not shown, but tests can read and click it. */
import type { Menu } from './menu.ts';
import { HostEmitter } from './notOnHost.ts';
import { records } from './records.ts';

/** An icon near the clock. Lives until `destroy`. */
export class Tray extends HostEmitter {
  menu: Menu | null = null;
  image: unknown;
  #destroyed = false;

  constructor(image: unknown) {
    super();
    this.image = image;
    records.trays.add(this);
  }

  setToolTip = (_text: string): void => undefined;
  setImage = (image: unknown): void => void (this.image = image);
  setContextMenu = (menu: Menu | null): void => void (this.menu = menu);
  isDestroyed = (): boolean => this.#destroyed;
  destroy = (): void => {
    this.#destroyed = true;
    records.trays.delete(this);
  };
}
