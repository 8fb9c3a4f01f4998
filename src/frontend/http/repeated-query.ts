/** Requests that are the same again but for one number: what the first one meant need not be read again. */
import type { RealmId, UserId } from '#model';
import type { Arrival, Target } from './arrival.js';
import type { Caller } from './services.js';

/** Nothing is escaped, so what stands there is what is meant. */
const PLAIN = /^[\w=&.-]*$/;

export class RepeatedQuery {
  private constructor(
    private readonly target: Target,
    private readonly realm: RealmId,
    private readonly user: UserId,
    private readonly before: string,
    private readonly after: string,
  ) {}

  /** Undefined: its query does not say the number once, in plain digits, or there is more than the query. */
  static of(arrival: Arrival, caller: Caller, parameter: string, n: number): RepeatedQuery | undefined {
    const { exchange, target } = arrival;
    const { query, hasBody } = exchange;
    if (!target || hasBody || !PLAIN.test(query)) return undefined;
    const given = `${parameter}=`;
    const digits = `${n}`;
    const at = query.indexOf(given);
    const from = at + given.length;
    const to = from + digits.length;
    if (at < 0 || (at > 0 && query[at - 1] !== '&') || query.indexOf(given, from) >= 0) return undefined;
    if (query.slice(from, to) !== digits || (to < query.length && query[to] !== '&')) return undefined;
    return new RepeatedQuery(target, caller.realm, caller.user.id, query.slice(0, from), query.slice(to));
  }

  /** The query with this number. */
  with(n: number): string {
    return this.before + n + this.after;
  }

  /** It is for the same operation, and on behalf of the same account. */
  isOf({ target, exchange }: Arrival, { realm, user }: Caller): boolean {
    return this.target === target && this.user === user.id && this.realm === realm && !exchange.hasBody;
  }
}
