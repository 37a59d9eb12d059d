/**
 * A limit of 2 MB/s over 20 s against the reference service: how exactly it is kept in every 10 s, measured where the
 * bytes arrive.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectionRow, createClient } from '../../main/engine/runner/connect.ts';
import { openEngine } from '../../main/engine/host/engine.ts';
import { uploadOnce } from '../../main/engine/uploads/oneShot.ts';
import { startConnectionRunner } from '../../main/engine/runner/connectionRunner.ts';
import { createFiles } from '../../main/engine/files/nodeFiles.ts';
import { createPool } from '../../main/engine/files/pool/threadPool.ts';
import { createNodePorts } from '../../main/nodePorts.ts';
import { tinyJpeg } from '../helpers/media.ts';
import { createReferenceService } from '../service/referenceService.ts';
import { valueOf } from '../helpers/results.ts';

const CAP = 2_000_000;
const SECONDS = 20;
const IMAGE_BYTES = 100_000;
const LOOK_MS = 100;
const WINDOW_MS = 10_000;

interface Mark {
  readonly at: number;
  readonly bytes: number;
}

function rates(marks: readonly Mark[]): readonly number[] {
  return marks.flatMap((mark) => {
    const end = marks.find((other) => other.at >= mark.at + WINDOW_MS);
    return end === undefined ? [] : [((end.bytes - mark.bytes) / (end.at - mark.at)) * 1000];
  });
}

const directory = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
const service = await createReferenceService();
try {
  const source = join(directory, 'source');
  await mkdir(source);
  const count = Math.ceil((CAP * SECONDS) / IMAGE_BYTES);
  for (let number = 0; number < count; number += 1) {
    await writeFile(join(source, `${number}.jpg`), tinyJpeg(number, IMAGE_BYTES));
  }
  const workerUrl = new URL('../../main/engine/files/pool/fileWorker.ts', import.meta.url);
  const ports = createNodePorts(
    createFiles(createPool({ workerUrl })),
    { write: () => undefined },
    {},
  );
  const engine = valueOf(openEngine(join(directory, 'data'), 'bench', ports));
  const { store } = engine;
  const at = { apiUrl: service.url, projectsUrl: service.url, workspace: service.workspace };
  const connection = { ...at, apiKey: service.apiKey };
  const connectionId = connectionRow(store, connection, service.workspace);
  const running = startConnectionRunner({
    ports,
    store,
    connectionId,
    createClient: (watched) => createClient(watched, connection, { store, connectionId }),
    bases: ['bench'],
    capBytesPerSecond: () => CAP,
  });
  const marks: Mark[] = [];
  const arrived = (): number =>
    service.log.requests.reduce((sum, entry) => sum + entry.receivedBytes, 0);
  const look = setInterval(() => {
    if (running.sentBytes() > 0) marks.push({ at: performance.now(), bytes: arrived() });
  }, LOOK_MS);
  const ended = await uploadOnce(running, {
    places: [{ path: source, root: source }],
    target: {
      baseId: 'bench',
      displayName: null,
      mode: 'bulk',
      mainKind: null,
      notification: null,
    },
    signal: new AbortController().signal,
    onProgress: () => undefined,
  });
  clearInterval(look);
  await running.stop();
  engine.close();
  await ports.files.close();
  await ports.http.close();
  // The last marks may come after the last byte.
  const total = marks.at(-1)?.bytes ?? 0;
  const moving = marks.slice(0, marks.findIndex(({ bytes }) => bytes === total) + 1);
  const seen = rates(moving).map((rate) => rate / CAP);
  const [least, most] = [Math.min(...seen), Math.max(...seen)];
  const percent = (factor: number): string => `${((factor - 1) * 100).toFixed(2)} %`;
  const [first, last] = [moving[0], moving.at(-1)];
  const whole =
    first === undefined || last === undefined
      ? 0
      : ((last.bytes - first.bytes) / (last.at - first.at)) * 1000;
  process.stdout.write(
    `${ended.tally.confirmed} images confirmed; ${(whole / 1e6).toFixed(3)} MB/s of ${CAP / 1e6} MB/s; ` +
      `over any 10 s between ${percent(least)} and ${percent(most)} (${seen.length} windows)\n`,
  );
  if (!(least >= 0.95 && most <= 1.05)) process.exitCode = 1;
} finally {
  await service.close();
  await rm(directory, { recursive: true, force: true });
}
