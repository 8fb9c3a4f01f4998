/** A request as its head shows it, and what is learned of it on the way. */

import { madeOnce, type RateStanding } from '#base';
import type { Operation } from '#frontend/api';
import { takesGzip } from './accept-encoding.js';
import { type Form, NO_FORM } from './body.js';
import type { OperationSeries } from './observed.js';
import type { ParameterReader } from './params.js';
import type { Pending } from './pending.js';
import type { Found } from './route.js';
import type { HttpExchange } from './server.js';

export interface Target {
  readonly operation: Operation;
  readonly parameters: ParameterReader;
  readonly series: OperationSeries;
}

const NO_HEADERS: ReadonlyMap<string, string> = new Map();

type Methods = Found<Target>['route']['methods'];

/** Which of the operations is meant may only be known with the body: what any of them looks at. */
const wantedOf = madeOnce((methods: Methods): readonly string[] => [
  ...new Set([...methods.values()].flatMap(({ operation }) => operation.headers ?? [])),
]);

/** By default for what only reads: what changes something is answered in a few words. */
export const isCompressed = ({ compressed, method }: Operation): boolean => compressed ?? method === 'GET';

const mayBeCompressed = madeOnce((methods: Methods): boolean =>
  [...methods.values()].some(({ operation }) => isCompressed(operation)),
);

/** Reading a header costs as much as all else that is done for a small answer: what not every request needs is read when it is. */
export class Arrival {
  authorization: string;
  host: string;
  form: Form = NO_FORM;
  pending: Pending | undefined;
  /** How the limit that it met stands; undefined: it met none. */
  rate: RateStanding | undefined;
  /** The operation, once it is known. */
  target: Target | undefined;
  /** It waits for events: how long says nothing about us. */
  polls = false;
  /** Of the API key with which it waits; '': without one. */
  keyHash = '';
  #userAgent: string | undefined;
  #forwardedFor: string | undefined;
  #headers: ReadonlyMap<string, string> | undefined;
  #gzip: boolean | undefined;
  /** The rate of requests that it has come to stand for. */
  #kept: { -readonly [K in keyof RateStanding]: RateStanding[K] } | undefined;

  /**
   * @param since when it came, monotonic ms
   * @param readsForwarded somebody's word is taken for X-Forwarded-For
   * @param compresses large answers are, for clients that take them so
   */
  constructor(
    public exchange: HttpExchange,
    readonly found: Found<Target>,
    public since: number,
    private readonly readsForwarded: boolean,
    private readonly compresses = false,
  ) {
    this.authorization = exchange.header('authorization');
    this.host = exchange.header('host').toLowerCase();
  }

  get userAgent(): string {
    this.#userAgent ??= this.exchange.header('user-agent');
    return this.#userAgent;
  }

  /** X-Forwarded-For, where somebody's word is taken for it; else ''. */
  get forwardedFor(): string {
    this.#forwardedFor ??= this.readsForwarded ? this.exchange.headerLines('x-forwarded-for') : '';
    return this.#forwardedFor;
  }

  /** Its client takes a compressed answer. */
  get gzip(): boolean {
    this.#gzip ??=
      this.compresses &&
      mayBeCompressed(this.found.route.methods) &&
      takesGzip(this.exchange.header('accept-encoding'));
    return this.#gzip;
  }

  /** Those that the operations of the path look at. */
  get headers(): ReadonlyMap<string, string> {
    if (this.#headers) return this.#headers;
    const names = wantedOf(this.found.route.methods);
    this.#headers = names.length > 0 ? new Map(names.map((name) => [name, this.exchange.header(name)])) : NO_HEADERS;
    return this.#headers;
  }

  /** It goes on after the handler has returned, and servers keep nothing of the head: reads what may be needed. */
  keep(): void {
    void this.userAgent;
    void this.forwardedFor;
    void this.headers;
    void this.gzip;
  }

  /** From now on it stands for the next request of its client. */
  goOn(next: Arrival): void {
    this.exchange = this.exchange.goOn(next.exchange);
    this.since = next.since;
    this.keyHash = next.keyHash;
    this.#gzip = next.gzip;
    const { rate } = next;
    // Copied into an object that is there: what comes with each request need not live for as long as it waits.
    if (!rate) this.rate = undefined;
    else if (!this.#kept) this.rate = this.#kept = { ...rate };
    else {
      this.#kept.limit = rate.limit;
      this.#kept.remaining = rate.remaining;
      this.#kept.reset = rate.reset;
      this.rate = this.#kept;
    }
  }

  /** It was understood, and its answer may be a long time coming. */
  onlyForAnswer(): void {
    this.exchange.forget();
    this.authorization = '';
    this.host = '';
    this.#userAgent = '';
    this.#headers = NO_HEADERS;
    this.form = NO_FORM;
  }
}
