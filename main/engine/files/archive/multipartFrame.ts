/** The frame around one file in a multipart/form-data body: streamed, with a known length. */

/** A quoted file name as browsers write it: the three characters that could end the quotes are percent-encoded. */
function quoted(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/**
 * The bytes before and after one file in the form field `file`, and the Content-Type header that announces the form. `boundary`: letters
 * and digits, random enough (24 or more) never to occur in an image.
 */
export function multipartFrame(fileName: string, boundary: string) {
  if (!/^[0-9A-Za-z]{1,70}$/.test(boundary)) throw new Error('a boundary that needs quoting');
  const disposition = `Content-Disposition: form-data; name="file"; filename="${quoted(fileName)}"`;
  const encoder = new TextEncoder();
  return {
    prefix: encoder.encode(`--${boundary}\r\n${disposition}\r\n\r\n`),
    suffix: encoder.encode(`\r\n--${boundary}--\r\n`),
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
}
