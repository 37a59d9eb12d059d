/**
 * The plain ways to bring the same files to the same service: scripts around curl and tar, as people write them. They keep no
 * record, check nothing, and ask nothing afterwards; what they cost is the least that sending can cost.
 */
import { readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ServiceProcess } from './serviceProcess.ts';

const PARALLEL = 8;
const SHARD_MEMBERS = 500;

/** Every file below a directory. */
async function filesBelow(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** `curl --parallel`: one process, kept connections, a form for each image. Answers its command. */
export async function curlImages(
  service: ServiceProcess,
  root: string,
  batch: string,
  scratch: string,
): Promise<readonly string[]> {
  const config = join(scratch, `${batch}.curl`);
  const parts = (await filesBelow(root)).map((path) => {
    const url = service.staging(`${batch}/upload/image`, { fileName: basename(path) });
    return `url = "${url}"\nform = "file=@${path}"\noutput = "/dev/null"\nfail\n`;
  });
  await writeFile(config, parts.join('next\n'));
  return ['curl', '-sS', '--parallel', '--parallel-max', String(PARALLEL), '--config', config];
}

/** Reads an address out of a registration and puts a file there. */
const PUT = `put() {
  curl -sSf -X POST "$1" | sed 's/.*"uploadURL":"\\([^"]*\\)".*/\\1/' | {
    read -r url
    curl -sSf -o /dev/null -H 'x-goog-content-length-range: 0,5368709120' -H 'x-goog-if-generation-match: 0' -T "$2" "$url"
  }
}
export -f put
`;

/** A script that registers and sends each video with `curl -T`, some at a time. Answers its command. */
export async function curlVideos(
  service: ServiceProcess,
  root: string,
  batch: string,
  scratch: string,
): Promise<readonly string[]> {
  const list = join(scratch, `${batch}.list`);
  const lines = (await filesBelow(root)).map(
    (path) =>
      `${service.staging(`${batch}/upload/video`, { fileName: basename(path) })}\n${path}\n`,
  );
  await writeFile(list, lines.join(''));
  return ['bash', '-c', `${PUT}xargs -n 2 -P 4 bash -c 'put "$1" "$2"' _ < "${list}"`];
}

/** A script that packs images into archives on disk and sends each with `curl -T`, some at a time. Answers its command. */
export async function tarAndCurl(
  service: ServiceProcess,
  root: string,
  batch: string,
  scratch: string,
): Promise<readonly string[]> {
  const paths = await filesBelow(root);
  const names: string[] = [];
  for (let at = 0; at < paths.length; at += SHARD_MEMBERS) {
    const name = join(scratch, `${batch}-${at}.list`);
    await writeFile(name, paths.slice(at, at + SHARD_MEMBERS).join('\n'));
    names.push(name);
  }
  const list = join(scratch, `${batch}.lists`);
  await writeFile(list, names.join('\n'));
  const url = service.staging(`${batch}/bulk-upload/image-files`);
  const one = `tar --transform "s|.*/||" -cPf "$1.tar" -T "$1" && put "${url}" "$1.tar" && rm "$1.tar"`;
  return ['bash', '-c', `${PUT}xargs -n 1 -P 4 bash -c '${one}' _ < "${list}"`];
}
