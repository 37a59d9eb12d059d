/** Outages: for a period of time, every request is answered by something other than the service, or not at all. */
import type { Fault } from './faults.ts';
import type { Settings } from './settings.ts';
import type { ServiceClock } from './testClock.ts';

/** Which requests are affected; omitted fields match all. */
export interface RequestMatch {
  readonly method?: string;
  /** Compared with the path, without the query. */
  readonly path?: RegExp;
}

type OutageAnswer =
  | Extract<Fault, { readonly kind: 'status' | 'html' | 'hang' }>
  /** The connection is reset when the head of the request has arrived. */
  | { readonly kind: 'reset' }
  /** New connections are refused and open ones broken: the whole service, whatever the match says. */
  | { readonly kind: 'refused' };

export interface OutageOrder {
  readonly match?: RequestMatch;
  /** By the service's clock; until `end` is called if omitted. */
  readonly forMs?: number;
  readonly answer: OutageAnswer;
}

export interface Outage {
  /** How many requests it has affected so far; refused connections are not counted. */
  readonly met: () => number;
  readonly isOver: () => boolean;
  /** Ends it now; does nothing the second time. */
  end(): Promise<void>;
}

export function matches(match: RequestMatch, method: string, path: string): boolean {
  const isMethod = match.method === undefined || match.method === method;
  return isMethod && (match.path === undefined || path.search(match.path) >= 0);
}

interface Current {
  readonly match: RequestMatch;
  readonly fault: Fault;
  readonly until: number;
  met: number;
}

const PROXY: Fault = { kind: 'html', status: 200 };

function faultOf(answer: Exclude<OutageAnswer, { readonly kind: 'refused' }>): Fault {
  return answer.kind === 'reset' ? { kind: 'cutWhileReceiving', afterBytes: 0 } : answer;
}

/** Creates the outages of one service; `unplug` and `plug` stop and resume listening. */
export function createOutages(parts: {
  readonly clock: ServiceClock;
  readonly settings: Settings;
  readonly unplug: () => Promise<void>;
  readonly plug: () => Promise<void>;
}) {
  const { clock, settings } = parts;
  const current = new Set<Current>();
  let firstRequestAt: number | null = null;

  const isProxyInBetween = (): boolean => {
    firstRequestAt ??= clock.now();
    const since = clock.now() - firstRequestAt - settings.proxyAfterMs;
    return settings.proxyForMs > 0 && since >= 0 && since < settings.proxyForMs;
  };

  const refuse = async (forMs: number | undefined): Promise<Outage> => {
    let ended: Promise<void> | null = null;
    const end = (): Promise<void> => (ended ??= parts.plug());
    await parts.unplug();
    if (forMs !== undefined) clock.after(forMs, end);
    return { met: () => 0, isOver: () => ended !== null, end };
  };

  const answer = ({ match = {}, forMs = Infinity }: OutageOrder, fault: Fault): Outage => {
    const one: Current = { match, fault, until: clock.now() + forMs, met: 0 };
    current.add(one);
    return {
      met: () => one.met,
      isOver: () => !current.has(one) || clock.now() >= one.until,
      end: () => {
        current.delete(one);
        return Promise.resolve();
      },
    };
  };

  return {
    begin: async (order: OutageOrder) =>
      order.answer.kind === 'refused' ? refuse(order.forMs) : answer(order, faultOf(order.answer)),
    /** The fault that a request meets because of an outage; null when none concerns it. */
    take: (method: string, path: string) => {
      const isProxied = isProxyInBetween();
      for (const one of current) {
        if (clock.now() >= one.until) current.delete(one);
        else if (matches(one.match, method, path)) {
          one.met += 1;
          return one.fault;
        }
      }
      return isProxied ? PROXY : null;
    },
  };
}

export type Outages = ReturnType<typeof createOutages>;
