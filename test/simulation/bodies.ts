/** Bodies as the model service reads them: an image in a form, and an archive. Written independently of the engine, from the formats' own rules. */

/** The content of the first file in a multipart form; null when it is not a form with a file. */
export function fileInForm(contentType: string, body: Buffer): Buffer | null {
  const boundary = /boundary="?([^";]+)"?/.exec(contentType)?.[1];
  if (boundary === undefined) return null;
  const open = Buffer.from(`--${boundary}\r\n`);
  const close = Buffer.from(`\r\n--${boundary}--`);
  const start = body.indexOf(open);
  const head = body.indexOf('\r\n\r\n', start);
  const end = body.lastIndexOf(close);
  if (start < 0 || head < 0 || end < head + 4) return null;
  return Buffer.from(body.subarray(head + 4, end));
}

const BLOCK = 512;

function textAt(block: Buffer, from: number, length: number): string {
  const end = block.indexOf(0, from);
  return block.toString('utf8', from, end < 0 || end > from + length ? from + length : end);
}

/** `path` in the records of an extended header: "27 path=…\n". */
function pathOf(records: Buffer): string | null {
  for (let at = 0; at < records.length;) {
    const space = records.indexOf(' ', at);
    const length = Number(records.toString('latin1', at, space));
    if (!(length > 0)) return null;
    const [key = '', ...value] = records.toString('utf8', space + 1, at + length - 1).split('=');
    if (key === 'path') return value.join('=');
    at += length;
  }
  return null;
}

/** Members of an uncompressed archive; null when it is incomplete. */
export function membersOfTar(
  body: Buffer,
): readonly { readonly name: string; readonly bytes: Buffer }[] | null {
  if (body.length % BLOCK !== 0 || body.length < 2 * BLOCK) return null;
  const members: { name: string; bytes: Buffer }[] = [];
  let longName: string | null = null;
  for (let at = 0; at < body.length;) {
    const head = body.subarray(at, at + BLOCK);
    if (head.every((byte) => byte === 0)) return members;
    const size = Number.parseInt(textAt(head, 124, 12).trim(), 8);
    if (!Number.isInteger(size)) return null;
    const bytes = Buffer.from(body.subarray(at + BLOCK, at + BLOCK + size));
    const type = textAt(head, 156, 1);
    if (type === 'x') longName = pathOf(bytes);
    else {
      members.push({ name: longName ?? textAt(head, 0, 100), bytes });
      longName = null;
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return null;
}
