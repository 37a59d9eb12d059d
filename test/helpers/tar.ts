/** Tar archives, created by a library. */
import { buffer } from 'node:stream/consumers';
import { type Header, pack } from 'tar-stream';

/** A member of a tar archive; only files have `content`. */
export type TarMember = Partial<Header> & {
  readonly name: string;
  readonly content?: string | Uint8Array;
};

/** The bytes of a tar archive with these members, whatever their names. */
export async function tarOf(members: readonly TarMember[]): Promise<Buffer> {
  const packing = pack();
  const whole = buffer(packing);
  for (const { content = '', ...header } of members) packing.entry(header, Buffer.from(content));
  packing.finalize();
  return whole;
}
