/** A request as its head shows it, and what is learned of it on the way. */
import type { Operation } from '../api/index.js';
import { madeOnce, type RateStanding } from '../core/index.js';
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

export interface Arrival {
  readonly exchange: HttpExchange;
  readonly found: Found<Target>;
  authorization: string;
  host: string;
  userAgent: string;
  /** Those that the operations of the path look at. */
  headers: ReadonlyMap<string, string>;
  /** X-Forwarded-For, where somebody's word is taken for it; else ''. */
  readonly forwardedFor: string;
  /** When it came, monotonic ms. */
  readonly since: number;
  form: Form;
  pending: Pending | undefined;
  /** How the limit that it met stands; undefined: it met none. */
  rate: RateStanding | undefined;
  /** The operation, once it is known. */
  target: Target | undefined;
  /** It waits for events: how long says nothing about us. */
  polls: boolean;
}

const NO_HEADERS: ReadonlyMap<string, string> = new Map();

type Methods = Found<Target>['route']['methods'];

/** Which of the operations is meant may only be known with the body: what any of them looks at. */
const wantedOf = madeOnce((methods: Methods): readonly string[] => [
  ...new Set([...methods.values()].flatMap(({ operation }) => operation.headers ?? [])),
]);

function headersOf(exchange: HttpExchange, { route }: Found<Target>): ReadonlyMap<string, string> {
  const names = wantedOf(route.methods);
  return names.length > 0 ? new Map(names.map((name) => [name, exchange.header(name)])) : NO_HEADERS;
}

/** Reads all that is needed of the head: servers keep none of it. */
export const arrivalOf = (
  exchange: HttpExchange,
  found: Found<Target>,
  since: number,
  readsForwarded: boolean,
): Arrival => ({
  exchange,
  found,
  authorization: exchange.header('authorization'),
  host: exchange.header('host').toLowerCase(),
  userAgent: exchange.header('user-agent'),
  headers: headersOf(exchange, found),
  forwardedFor: readsForwarded ? exchange.headerLines('x-forwarded-for') : '',
  since,
  form: NO_FORM,
  pending: undefined,
  rate: undefined,
  target: undefined,
  polls: false,
});

/** The request was understood, and its answer may be a long time coming. */
export function onlyForAnswer(arrival: Arrival): void {
  arrival.authorization = '';
  arrival.host = '';
  arrival.userAgent = '';
  arrival.headers = NO_HEADERS;
  arrival.form = NO_FORM;
}
