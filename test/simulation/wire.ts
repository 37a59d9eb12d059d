/** The Http port in memory: requests pass through the weather and may or may not reach the model service. */
import { sluiceError, SluiceFailure } from '../../main/engine/core/errors.ts';
import type {
  Http,
  HttpAnswer,
  HttpFailure,
  HttpRequest,
  NetworkFault,
} from '../../main/engine/core/ports.ts';
import { membersOfTar } from './bodies.ts';
import type { Dice } from './dice.ts';
import { contentHash } from '../../main/engine/files/contentHash.ts';
import type { Life } from './life.ts';
import { type ModelService } from './modelService.ts';
import { type ServiceAnswer, type ServiceRequest, STORAGE_URL } from './serviceWords.ts';
import type { Timeline } from './timeline.ts';
import type { Trace } from './trace.ts';
import type { Fault, Weather } from './weather.ts';

/** What a process needs to reach the service. */
export interface WireGround {
  readonly timeline: Timeline;
  readonly life: Life;
  readonly dice: Dice;
  readonly weather: Weather;
  readonly service: ModelService;
  readonly who: string;
  readonly trace: Trace;
  /** How long after its connection broke a body may still be stored, ms. */
  readonly lateCommitMs: number;
  /** Called when the service has acted on an upload, before its answer arrives. */
  readonly onUpload: () => void;
}

const CONNECT_MS = 40;

function isStream(
  body: HttpRequest['body'],
): body is Exclude<HttpRequest['body'], Uint8Array | null> {
  return body !== null && !(body instanceof Uint8Array);
}

/** The body of an answer, delivered in two pieces; a cut one ends after `fraction`. */
function answerBody(life: Life, bytes: Buffer, fraction: number | null): HttpAnswer['body'] {
  const end = fraction === null ? bytes.length : Math.floor(bytes.length * fraction);
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const middle = Math.floor(end / 2);
    if (middle > 0) yield Uint8Array.from(bytes.subarray(0, middle));
    await life.wait(1);
    if (end > middle) yield Uint8Array.from(bytes.subarray(middle, end));
    if (fraction !== null) throw new SluiceFailure(sluiceError('network.lost', { fault: 'lost' }));
  }
  return Object.assign(chunks(), { dispose: () => undefined });
}

/** Carries one request to the service and back. */
async function travel(
  ground: WireGround,
  request: HttpRequest,
  settle: (end: HttpAnswer | HttpFailure) => void,
  progress: { over: boolean; maybeSent: boolean },
): Promise<void> {
  const { timeline, life, dice, weather, service, who } = ground;
  const url = new URL(request.url);
  const isStorage = url.origin === STORAGE_URL;
  await life.wait(dice.int(1, CONNECT_MS));
  if (progress.over) return;
  const failed = (fault: NetworkFault): void => {
    settle({ kind: 'failure', fault, maybeSent: progress.maybeSent, detail: 'simulated' });
  };
  const fault: Fault | null = weather.faultFor({ who, isStorage, method: request.method });
  const respond = (answer: ServiceAnswer, cut: number | null = null, early = false): void => {
    const { status, headers, body } = answer;
    const head = { kind: 'answer', status, headers, body: answerBody(life, body, cut) } as const;
    settle(early ? { ...head, early } : head);
  };
  if (fault?.kind === 'unreachable') {
    if (fault.fault === 'timeout') await life.wait(request.stallMs);
    failed(fault.fault);
    return;
  }
  if (fault?.kind === 'answered' && fault.early && isStream(request.body)) {
    respond(fault.answer, null, true);
    return;
  }
  const body = await readBody(request, fault, progress, dice, life);
  if (progress.over) return;
  if (body === null) {
    failed('lost');
    return;
  }
  progress.maybeSent = true;
  if (fault?.kind === 'answered') {
    if (isStorage && request.method === 'PUT') noteThrownAway(ground, fault.answer, body);
    await life.wait(dice.int(5, 60));
    respond(fault.answer);
    return;
  }
  const asked: ServiceRequest = {
    method: request.method,
    url,
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
    ),
    body,
    writer: who,
  };
  // From here on it happens on the service, whether the process lives or not.
  const late = fault?.kind === 'lostAnswer' && fault.isLate ? dice.int(0, ground.lateCommitMs) : 0;
  if (fault?.kind === 'lostAnswer') {
    timeline.after(5 + late, () => void service.handle(asked));
    life.after(fault.hangs ? request.stallMs : dice.int(1, 2_000), () =>
      failed(fault.hangs ? 'timeout' : 'lost'),
    );
    return;
  }
  if (fault?.kind === 'slow') {
    life.after(request.stallMs, () => {
      failed('timeout');
      timeline.after(dice.int(0, 20_000), () => void service.handle(asked));
    });
    return;
  }
  timeline.after(dice.int(2, 150), () => {
    if (fault?.kind === 'repeated' && mayRepeat(ground, request)) service.handle(asked);
    const answer = service.handle(asked);
    if (isUpload(request)) ground.onUpload();
    life.after(dice.int(2, 150), () => {
      if (fault?.kind === 'actedThen') respond(fault.answer);
      else respond(answer, fault?.kind === 'cutAnswer' ? fault.fraction : null);
    });
  });
}

function isUpload({ method, url }: HttpRequest): boolean {
  return method === 'PUT' || (method === 'POST' && url.includes('/upload/image'));
}

/** Not drawn: an image that is sent on twice to a service that keeps both. No program can prevent that. */
function mayRepeat({ service }: WireGround, request: HttpRequest): boolean {
  return request.method !== 'POST' || !isUpload(request) || !service.keepsBoth;
}

/** Records uploads that got an answer like the storage's without reaching it: nothing reveals their loss. */
function noteThrownAway(
  { service }: WireGround,
  { status, headers }: ServiceAnswer,
  body: Buffer,
): void {
  if (status !== 200 || headers['content-type']?.startsWith('text/html') === true) return;
  const members = membersOfTar(body) ?? [{ bytes: body }];
  for (const { bytes } of members) service.state.throwAway(contentHash(bytes));
}

/** Reads the whole body; null when it was cut off, by itself or by the weather. */
async function readBody(
  { body }: HttpRequest,
  fault: Fault | null,
  progress: { readonly over: boolean },
  dice: Dice,
  life: Life,
): Promise<Buffer | null> {
  if (!isStream(body)) {
    if (fault?.kind === 'cutBody') return null;
    return body === null ? Buffer.alloc(0) : Buffer.from(body);
  }
  const most = fault?.kind === 'cutBody' ? body.lengthBytes * fault.fraction : Infinity;
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of body.chunks()) {
      chunks.push(chunk);
      length += chunk.length;
      if (progress.over || length > most) return null;
      await life.wait(dice.int(0, 20));
    }
  } catch {
    return null;
  }
  return fault?.kind === 'cutBody' || length !== body.lengthBytes ? null : Buffer.concat(chunks);
}

function endInWords(end: HttpAnswer | HttpFailure): string {
  return end.kind === 'answer'
    ? String(end.status)
    : `${end.fault}${end.maybeSent ? ' maybe' : ''}`;
}

/** Creates the Http port of a process. */
export function createWire(ground: WireGround): Http {
  const { life, trace, who } = ground;
  return {
    request: (request) =>
      new Promise((resolve) => {
        const progress = { over: false, maybeSent: false };
        const { pathname, searchParams } = new URL(request.url);
        const name = searchParams.get('fileName');
        const settle = (end: HttpAnswer | HttpFailure): void => {
          if (progress.over || !life.alive()) return;
          progress.over = true;
          request.signal.removeEventListener('abort', onAbort);
          trace.note(
            `${who} ${request.method} ${pathname}${name === null ? '' : ` ${name}`}: ${endInWords(end)}`,
          );
          resolve(end);
        };
        const onAbort = (): void => {
          const { maybeSent } = progress;
          settle({ kind: 'failure', fault: 'aborted', maybeSent, detail: 'stopped on request' });
        };
        if (request.signal.aborted) {
          onAbort();
          return;
        }
        request.signal.addEventListener('abort', onAbort, { once: true });
        void travel(ground, request, settle, progress);
      }),
    close: () => Promise.resolve(),
  };
}
