/** What goes wrong between a computer and the service, and when: outages are drawn in advance, odd answers as requests happen. */
import type { NetworkFault } from '../../main/engine/core/ports.ts';
import type { Character } from './character.ts';
import type { Dice } from './dice.ts';
import type { Plan } from './plan.ts';
import { json, refusal, type ServiceAnswer } from './serviceWords.ts';

/** What happens to one request. */
export type Fault =
  | { readonly kind: 'unreachable'; readonly fault: NetworkFault }
  /** Something in between, or the service's own front, answers; the request does nothing. */
  | { readonly kind: 'answered'; readonly answer: ServiceAnswer; readonly early: boolean }
  /** The body is cut off after this fraction. */
  | { readonly kind: 'cutBody'; readonly fraction: number }
  /** The service acts, sooner or later, and its answer is lost. */
  | { readonly kind: 'lostAnswer'; readonly isLate: boolean; readonly hangs: boolean }
  /** The service acts, and only part of its answer arrives. */
  | { readonly kind: 'cutAnswer'; readonly fraction: number }
  /** The service acts, and something else is answered. */
  | { readonly kind: 'actedThen'; readonly answer: ServiceAnswer }
  /** Something in between sends the request on twice, and passes on the second answer. */
  | { readonly kind: 'repeated' }
  /** The service acts after the client has given up. */
  | { readonly kind: 'slow' };

const OUTAGES = [
  'offline',
  'unresolved',
  'refused',
  'tls',
  'hangs',
  'page200',
  'page404',
  'redirect',
  'busy503',
  'busy429',
  'failed500',
  'gateway502',
  'key401',
  'quota402',
  'forbidden403',
  'proxy407',
  'signIn511',
  'emptyJson',
] as const;

export type OutageKind = (typeof OUTAGES)[number];

export interface Outage {
  readonly from: number;
  readonly to: number;
  readonly kind: OutageKind;
  /** A computer's name, or null for all. */
  readonly who: string | null;
  readonly where: 'service' | 'storage' | 'both';
}

function page(status: number): ServiceAnswer {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: Buffer.from('<!doctype html><title>Sign in</title>'),
  };
}

function answered(answer: ServiceAnswer, early = false): Fault {
  return { kind: 'answered', answer, early };
}

function waiting(status: number, seconds: number): ServiceAnswer {
  const answer = refusal(status, 'not now');
  return { ...answer, headers: { ...answer.headers, 'retry-after': String(seconds) } };
}

function ofOutage(kind: OutageKind, dice: Dice): Fault {
  switch (kind) {
    case 'offline':
    case 'unresolved':
    case 'refused':
    case 'tls':
      return { kind: 'unreachable', fault: kind };
    case 'hangs':
      return { kind: 'unreachable', fault: 'timeout' };
    case 'proxy407':
      return { kind: 'unreachable', fault: 'proxyAuth' };
    case 'page200':
      return answered(page(200));
    case 'page404':
      return answered(page(404));
    case 'redirect': {
      const elsewhere = { ...page(302).headers, location: 'https://portal.example/login' };
      return answered({ ...page(302), headers: elsewhere });
    }
    case 'busy503':
      return answered(refusal(503, 'down for repairs'), dice.chance(0.3));
    case 'busy429':
      return answered(waiting(429, dice.int(1, 90)), dice.chance(0.3));
    case 'failed500':
      return answered(refusal(500, 'broken'));
    case 'gateway502':
      return answered(refusal(502, 'bad gateway'));
    case 'key401':
      return answered(refusal(401, 'the key is locked'));
    case 'quota402':
      return answered(refusal(402, 'no credit'));
    case 'forbidden403':
      return answered(refusal(403, 'not allowed'));
    case 'signIn511':
      return answered(page(511));
    case 'emptyJson':
      return answered(json(200, {}));
  }
}

function oddEvent(
  dice: Dice,
  { isStorage, method }: { isStorage: boolean; method: string },
  forgetful: boolean,
): Fault {
  const read = method === 'GET';
  const fraction = dice.fraction();
  const events: readonly [Fault, ...Fault[]] = [
    { kind: 'lostAnswer', isLate: dice.chance(0.5), hangs: dice.chance(0.3) },
    { kind: 'lostAnswer', isLate: dice.chance(0.5), hangs: false },
    { kind: 'cutBody', fraction },
    { kind: 'cutAnswer', fraction },
    { kind: 'unreachable', fault: dice.pick(['lost', 'timeout', 'refused', 'offline']) },
    answered(page(dice.pick([200, 404, 403, 502]))),
    answered(refusal(dice.pick([500, 502, 503, 504, 408, 425]), 'odd')),
    answered(waiting(dice.pick([429, 503]), dice.int(0, 20)), dice.chance(0.5)),
    { kind: 'actedThen', answer: refusal(dice.pick([500, 502, 504, 408]), 'odd, and done') },
    { kind: 'actedThen', answer: page(dice.pick([200, 502])) },
    answered(dice.pick([json(200, {}), { ...json(200, {}), body: Buffer.from('') }])),
    // An odd "I do not know that": believed only if a second check says the same.
    read && !isStorage && forgetful
      ? answered(refusal(404, 'no such batch'))
      : { kind: 'cutBody', fraction },
  ];
  return dice.pick(events);
}

/**
 * What meddles with requests from seed 9,001 on. Not drawn: a single refusal of a file that passes. A watch tries such a file again after an
 * hour, and may end before.
 */
function meddling(dice: Dice): Fault {
  return dice.pick<Fault>([{ kind: 'repeated' }, { kind: 'repeated' }, { kind: 'slow' }]);
}

/** Draws the outages of a seed; all are over when it calms down. */
export function drawOutages(
  dice: Dice,
  computers: readonly string[],
  calmAt: number,
): readonly Outage[] {
  const count = dice.pick([0, 1, 2, 3]);
  return Array.from({ length: count }, () => {
    const from = dice.int(0, Math.floor(calmAt * 0.7));
    const longest = dice.pick([20_000, 120_000, calmAt]);
    const to = Math.min(calmAt, from + dice.int(1_000, longest));
    const who = dice.chance(0.4) ? (computers[dice.int(0, computers.length - 1)] ?? null) : null;
    const where = dice.pick<Outage['where']>(['both', 'both', 'service', 'storage']);
    return { from, to, kind: dice.pick(OUTAGES), who, where };
  });
}

/**
 * Not drawn: content other than the file's, answered with 200 by something that is not a page. No list states a size or a
 * checksum, so nothing distinguishes such an answer from the file. Nor is it drawn for a body where names are listed without one.
 */
function believable(
  fault: Fault,
  { isStorage, method }: { isStorage: boolean; method: string },
  { registered }: Character,
): Fault {
  const isFake =
    isStorage &&
    (method === 'GET' || registered !== 'unlisted') &&
    fault.kind === 'answered' &&
    fault.answer.status === 200 &&
    fault.answer.headers['content-type'] === 'application/json';
  return isFake ? answered(refusal(503, 'odd')) : fault;
}

/** Creates the weather: `oddness` is the fraction of requests that meet an odd event until it calms down. */
export function createWeather(
  dice: Dice,
  now: () => number,
  plan: Pick<Plan, 'outages' | 'oddness' | 'forgetful' | 'calmAt' | 'character'>,
) {
  const more = dice.stream('meddling');
  return {
    outages: plan.outages,
    /** What goes wrong with a request that begins now; null when nothing does. */
    faultFor: (request: {
      readonly who: string;
      readonly isStorage: boolean;
      readonly method: string;
    }) => {
      const at = now();
      if (at >= plan.calmAt) return null;
      const here = request.isStorage ? 'storage' : 'service';
      const outage = plan.outages.find(
        ({ from, to, who, where }) =>
          from <= at &&
          at < to &&
          (who === null || who === request.who) &&
          (where === 'both' || where === here),
      );
      if (outage !== undefined)
        return believable(ofOutage(outage.kind, dice), request, plan.character);
      if (plan.character.meddles && more.chance(plan.oddness / 2)) return meddling(more);
      return dice.chance(plan.oddness)
        ? believable(oddEvent(dice, request, plan.forgetful), request, plan.character)
        : null;
    },
  };
}

export type Weather = ReturnType<typeof createWeather>;
