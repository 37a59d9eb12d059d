/** `nativeImage`: passes pictures around without decoding them. */
import { readFileSync } from 'node:fs';
import { HostObject, strictModule } from './notOnHost.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** A picture as stored in its file; its size is known only for PNG. */
export class NativeImage extends HostObject {
  readonly #bytes: Buffer;
  readonly #size: Size;

  constructor(bytes: Buffer, size: Size = pngSize(bytes)) {
    super();
    this.#bytes = bytes;
    this.#size = size;
  }

  isEmpty = (): boolean => this.#bytes.length === 0;
  getSize = (): Size => ({ ...this.#size });
  toDataURL = (): string => `data:image/png;base64,${this.#bytes.toString('base64')}`;
  resize = (size: Partial<Size>): NativeImage =>
    new NativeImage(this.#bytes, { ...this.#size, ...size });
}

function pngSize(bytes: Buffer): Size {
  if (bytes.length < 24 || bytes.toString('latin1', 1, 4) !== 'PNG') return { width: 0, height: 0 };
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function fromPath(path: string): NativeImage {
  try {
    return new NativeImage(readFileSync(path));
  } catch {
    // As on Electron, a picture that cannot be read is empty.
    return new NativeImage(Buffer.alloc(0));
  }
}

/** The export `nativeImage`. */
export const nativeImage = strictModule('nativeImage', {
  createEmpty: (): NativeImage => new NativeImage(Buffer.alloc(0)),
  createFromPath: fromPath,
  createFromBuffer: (bytes: Buffer): NativeImage => new NativeImage(bytes),
});
