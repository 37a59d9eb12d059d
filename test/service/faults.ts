/** Faults as data: what should go wrong, with which requests, how often. Nothing here touches a connection (see faultEffects.ts). */

export type Fault =
  /** Answered with this status after the body was read; the operation is not done. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly body?: string | Readonly<Record<string, unknown>>;
      readonly headers?: Readonly<Record<string, string>>;
      readonly retryAfter?: number | string;
    }
  /** Done normally, this much later. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Reads the body and never answers; done all the same when `acted`. */
  | { readonly kind: 'hang'; readonly acted?: boolean }
  /** Resets the connection once this many bytes of the body have come (at its end when it is shorter); not done. */
  | { readonly kind: 'cutWhileReceiving'; readonly afterBytes: number }
  /** Done, then the connection is reset after this many bytes of the answer's body. */
  | { readonly kind: 'cutWhileAnswering'; readonly afterBytes: number }
  /** Done, then the connection is reset instead of an answer. */
  | { readonly kind: 'doneButAnswerLost' }
  /** The connection is reset when the body has come; done only this much later. */
  | { readonly kind: 'lateCommit'; readonly afterMs: number }
  /** A storage address answers as if it had expired. */
  | { readonly kind: 'expiredUrl' }
  /** Answered with this text instead; done all the same when `acted`. */
  | {
      readonly kind: 'wrongJson';
      readonly text: string;
      readonly status?: number;
      readonly contentType?: string;
      readonly acted?: boolean;
    }
  /** Bodies are taken and given at this rate. */
  | { readonly kind: 'slow'; readonly bytesPerSecond: number }
  /** Something in between answers with a page of HTML, 302 with an address of another origin; done all the same when `acted`. */
  | {
      readonly kind: 'html';
      readonly status: number;
      readonly location?: string;
      readonly acted?: boolean;
    }
  /**
   * An upload is answered 200 and thrown away. Its signed address may be used again, unless the storage keeps the object and only
   * the batch never gets it: then a second PUT is answered 412.
   */
  | { readonly kind: 'acknowledgedAndDropped'; readonly keptInStorage?: boolean }
  /** One bit of the body is changed on the way; stored, and stated in checksums, is what came. */
  | { readonly kind: 'damagesBody' }
  /** An answer of the API begins at once, and its body comes at this rate: 1 byte a second by default. */
  | { readonly kind: 'drips'; readonly bytesPerSecond?: number }
  /** Every page of a list names a next one, and none after the first holds a new name: the first page again, or nothing. */
  | { readonly kind: 'endlessPaging'; readonly pages?: 'same' | 'empty' };

interface FaultRule {
  /** `*` for any. */
  readonly method: string;
  /** Compared with the path, without the query. */
  readonly path: RegExp;
  readonly fault: Fault;
  /** How many more requests it meets; null for all. */
  left: number | null;
}

export interface Faults {
  /** The next `times` (1) matching requests meet this fault. Rules are used in the order they were made. */
  next(method: string, path: RegExp, fault: Fault, times?: number): void;
  /** Every matching request meets this fault, unless a `next` rule takes it. */
  always(method: string, path: RegExp, fault: Fault): void;
  /** Every request is shown to this function first; what it returns is the fault. For random mixes. */
  choose(chooser: ((method: string, path: string) => Fault | null) | null): void;
  clear(): void;
  /** Rules that are still waiting for a request. */
  readonly rules: readonly FaultRule[];
  /** The fault that a request meets now, used up by asking. */
  take(method: string, path: string): Fault | null;
}

/** Makes an empty list of faults. */
export function createFaults(): Faults {
  const rules: FaultRule[] = [];
  let chooser: ((method: string, path: string) => Fault | null) | null = null;

  const matching = (method: string, path: string, counted: boolean): FaultRule | undefined =>
    rules.find(
      (rule) =>
        (rule.left !== null) === counted &&
        (rule.method === '*' || rule.method === method) &&
        rule.path.test(path),
    );

  return {
    rules,
    next: (method, path, fault, times = 1) => {
      rules.push({ method, path: steady(path), fault, left: times });
    },
    always: (method, path, fault) => {
      rules.push({ method, path: steady(path), fault, left: null });
    },
    choose: (next) => {
      chooser = next;
    },
    clear: () => {
      rules.length = 0;
      chooser = null;
    },
    take: (method, path) => {
      if (rules.length === 0 && chooser === null) return null;
      const rule = matching(method, path, true) ?? matching(method, path, false);
      if (rule === undefined) return chooser === null ? null : chooser(method, path);
      if (rule.left !== null) {
        rule.left -= 1;
        if (rule.left <= 0) rules.splice(rules.indexOf(rule), 1);
      }
      return rule.fault;
    },
  };
}

/** A pattern without memory between tests: `g` and `y` would make every second request miss. */
function steady(path: RegExp): RegExp {
  return new RegExp(path.source, path.flags.replace(/[gy]/g, ''));
}
