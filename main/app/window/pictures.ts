/** Pictures for the system, drawn in build/resources and placed next to the bundle by the build. */
import { join } from 'node:path';
import { type NativeImage, nativeImage } from 'electron';

export type TrayState = 'idle' | 'sending' | 'paused' | 'attention';

/** A picture and its variants (`NAME@2x.png`), from which the system chooses. Empty when the file does not exist. */
export function picture(name: 'window' | `tray-${TrayState}`): NativeImage {
  return nativeImage.createFromPath(join(import.meta.dirname, 'pictures', `${name}.png`));
}
