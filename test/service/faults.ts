/** Faults as data: what should go wrong, with which requests, how often. Nothing here touches a connection (see faultEffects.ts). */

export type Fault =
  /** Answered with this status after the body was read; the operation does not happen. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly body?: string | Readonly<Record<string, unknown>>;
      readonly headers?: Readonly<Record<string, string>>;
      readonly retryAfter?: number | string;
    }
  /** Happens normally, this much later. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Happens normally, once this resolves, unless its client is gone by then. For what must last until a test has seen it. */
  | { readonly kind: 'held'; readonly until: Promise<void> }
  /** Reads the body and never answers; the operation happens anyway if `acted`. */
  | { readonly kind: 'hang'; readonly acted?: boolean }
  /** Resets the connection after receiving this many bytes of the body (at its end if it is shorter); the operation does not happen. */
  | { readonly kind: 'cutWhileReceiving'; readonly afterBytes: number }
  /** The operation happens, then the connection is reset after this many bytes of the answer's body. */
  | { readonly kind: 'cutWhileAnswering'; readonly afterBytes: number }
  /** The operation happens, then the connection is reset instead of an answer. */
  | { readonly kind: 'doneButAnswerLost' }
  /** The connection is reset when the body has arrived; the operation happens only this much later. */
  | { readonly kind: 'lateCommit'; readonly afterMs: number }
  /** A storage address answers as if it had expired. */
  | { readonly kind: 'expiredUrl' }
  /** Answered with this text instead; the operation happens anyway if `acted`. */
  | {
      readonly kind: 'wrongJson';
      readonly text: string;
      readonly status?: number;
      readonly contentType?: string;
      readonly acted?: boolean;
    }
  /** Bodies are received and sent at this rate. */
  | { readonly kind: 'slow'; readonly bytesPerSecond: number }
  /** Something in between answers with an HTML page, 302 with an address of another origin; the operation happens anyway if `acted`. */
  | {
      readonly kind: 'html';
      readonly status: number;
      readonly location?: string;
      readonly acted?: boolean;
    }
  /**
   * An upload is answered 200 and thrown away. Its signed address can be used again, unless the storage keeps the object and only
   * the batch never gets it: then a second PUT is answered 412.
   */
  | { readonly kind: 'acknowledgedAndDropped'; readonly keptInStorage?: boolean }
  /** One bit of the body is changed in transit; the service stores, and states checksums of, the damaged bytes. */
  | { readonly kind: 'damagesBody' }
  /** An answer of the API begins at once, and its body is sent at this rate: 1 byte a second by default. */
  | { readonly kind: 'drips'; readonly bytesPerSecond?: number }
  /** Every page of a list names a next one, and none after the first has new names: each repeats the first page, or is empty. */
  | { readonly kind: 'endlessPaging'; readonly pages?: 'same' | 'empty' };

interface FaultRule {
  /** `*` for any. */
  readonly method: string;
  /** Compared with the path, without the query. */
  readonly path: RegExp;
  readonly fault: Fault;
  /** How many more requests it affects; null for all. */
  left: number | null;
}

/** Creates an empty list of faults. */
export function createFaults() {
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
    /** Rules that are still waiting for a request. */
    rules,
    /** The next `times` (1) matching requests meet this fault. Rules are used in the order of their creation. */
    next: (method: string, path: RegExp, fault: Fault, times = 1) => {
      rules.push({ method, path: steady(path), fault, left: times });
    },
    /** Every matching request meets this fault, unless a `next` rule takes it. */
    always: (method: string, path: RegExp, fault: Fault) => {
      rules.push({ method, path: steady(path), fault, left: null });
    },
    /** This function sees every request first and may return its fault. For random mixes. */
    choose: (next: ((method: string, path: string) => Fault | null) | null) => {
      chooser = next;
    },
    clear: () => {
      rules.length = 0;
      chooser = null;
    },
    /** The fault that a request meets now; asking uses it up. */
    take: (method: string, path: string) => {
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

export type Faults = ReturnType<typeof createFaults>;

/** A pattern without state between calls: with `g` or `y` every second request would not match. */
function steady(path: RegExp): RegExp {
  return new RegExp(path.source, path.flags.replace(/[gy]/g, ''));
}
