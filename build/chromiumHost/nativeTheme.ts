/** `nativeTheme`: light or dark. */
import { HostEmitter } from './notOnHost.ts';
import { allWindows } from './windows.ts';

type Source = 'system' | 'light' | 'dark';

class NativeTheme extends HostEmitter {
  #source: Source = 'system';

  get themeSource(): Source {
    return this.#source;
  }
  set themeSource(source: Source) {
    this.#source = source;
    this.#changed();
  }
  get shouldUseDarkColors(): boolean {
    return this.#source === 'dark';
  }

  #changed(): void {
    for (const window of allWindows()) {
      if (window.webContents.getURL() === '') continue;
      const sent = window.webContents
        .link()
        .then(async (link) => link.setColorScheme(colorScheme()));
      void sent.catch(() => undefined);
    }
  }
}

/** The one `nativeTheme`. */
export const nativeTheme = new NativeTheme();

/** The colour scheme that pages get. */
export function colorScheme(): 'light' | 'dark' {
  return nativeTheme.shouldUseDarkColors ? 'dark' : 'light';
}
