/** Which of its two forms "deflate" has: with the header that the standard asks for, or without it, as some servers send it. */

/** The low half of the first byte names the method in a zlib header; a packed body without the header does not begin so. */
const METHOD = { mask: 0x0f, deflate: 8 } as const;

/** True when these first bytes have the header of zlib; also when there are none. Pure. */
export function hasZlibHeader([first]: Uint8Array): boolean {
  return first === undefined || (first & METHOD.mask) === METHOD.deflate;
}
