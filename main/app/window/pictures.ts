/** Pictures for the system, drawn in build/resources and put beside the bundle by the build. */
import { join } from 'node:path';
import { type NativeImage, nativeImage } from 'electron';

export type TrayState = 'idle' | 'sending' | 'paused' | 'attention';

/** A picture and its variants (`NAME@2x.png`), which the system chooses from. An empty one when the file is not there. */
export function picture(name: 'window' | `tray-${TrayState}`): NativeImage {
  return nativeImage.createFromPath(join(import.meta.dirname, 'pictures', `${name}.png`));
}
