/**
 * The `route` step of the pipeline: finds the operations of a path. Paths of newer API levels are in a table of their
 * own, which is read only for paths that the base level doesn't have.
 *
 * The path pattern is found first and the method looked up afterwards, as at the API's original server: a method that
 * the pattern lacks is answered 405 even if a later pattern has it. At each segment, fixed text is tried first, then
 * integers (`[0-9]+`), then any text; a pattern for the rest of a path comes last.
 */
import type { MetricCounterSeries, MetricHistogramSeries } from '#base/metrics';
import type { ApiLevel } from '#domain/levels';
import type { ApiOperation, HttpMethod } from '#frontend/api';
import type { OperationLevels } from './operation-levels.js';
import type { RequestParameterReader } from './parameters.js';

/** Metrics of one operation, created on first use: an operation that is never called has none. */
interface OperationMetrics {
  readonly answers: Map<number, MetricCounterSeries>;
  seconds: MetricHistogramSeries | undefined;
}

/** An operation with its parameters and metrics, as the router finds it. */
export interface RoutedOperation {
  readonly operation: ApiOperation;
  readonly parameters: RequestParameterReader;
  /** Forms of the operation at higher API levels; undefined if all levels have the same. */
  readonly levels: OperationLevels | undefined;
  readonly metrics: OperationMetrics;
}

export interface HttpRoute<T> {
  readonly targetsByMethod: ReadonlyMap<string, T>;
  /** Methods of the path, sorted, for `Allow` and `allowed_methods`. */
  readonly allowedMethods: readonly string[];
}

export interface HttpRouteMatch<T> {
  readonly route: HttpRoute<T>;
  /** Decoded values of the variable segments, from left to right. */
  readonly segmentValues: readonly string[];
}

interface RouteTreeNode<T> {
  readonly childrenByText: Map<string, RouteTreeNode<T>>;
  integerChild: RouteTreeNode<T> | undefined;
  textChild: RouteTreeNode<T> | undefined;
  /** Child node for a variable that takes all remaining segments. */
  restChild: RouteTreeNode<T> | undefined;
  route: MutableHttpRoute<T> | undefined;
}

interface MutableHttpRoute<T> extends HttpRoute<T> {
  readonly targetsByMethod: Map<string, T>;
  allowedMethods: string[];
}

type PathSegment =
  | { readonly fixed: string }
  | { readonly name: string; readonly integer: boolean; readonly rest?: boolean };

const makeRouteTreeNode = <T>(): RouteTreeNode<T> => ({
  childrenByText: new Map(),
  integerChild: undefined,
  textChild: undefined,
  restChild: undefined,
  route: undefined,
});

export class HttpRouter<T> {
  #root = makeRouteTreeNode<T>();
  /** Matches of patterns without variable segments, by path: one look-up serves the busiest operations. */
  #fixedMatchesByPath = new Map<string, HttpRouteMatch<T>>();

  /**
   * Adds an operation under its path pattern. @throws Error when the pattern already has an operation with this method
   */
  addTarget(method: HttpMethod, segments: readonly PathSegment[], target: T): void {
    let at = this.#root;
    for (const segment of segments) at = findOrCreateChild(at, segment);
    at.route ??= { targetsByMethod: new Map(), allowedMethods: [] };
    const path = `/${segments.map((s) => ('fixed' in s ? s.fixed : `{${s.name}}`)).join('/')}`;
    if (at.route.targetsByMethod.has(method)) throw new Error(`two operations on ${method} ${path}`);
    at.route.targetsByMethod.set(method, target);
    at.route.allowedMethods = [...at.route.targetsByMethod.keys()].sort();
    if (segments.every((s) => 'fixed' in s)) this.#fixedMatchesByPath.set(path, { route: at.route, segmentValues: [] });
  }

  /**
   * Finds the operations of a path.
   * @param path as sent, percent-encoded
   * @returns undefined for an unknown path, a bad escape, or a trailing slash
   */
  findRouteOfPath(path: string): HttpRouteMatch<T> | undefined {
    const fixed = this.#fixedMatchesByPath.get(path);
    if (fixed) return fixed;
    const segments = tryDecodePathSegments(path);
    if (!segments) return undefined;
    const values: string[] = [];
    const route = findRouteAndCollectValues(this.#root, segments, 0, values);
    return route && { route, segmentValues: values };
  }
}

/** Paths that only clients of newer API levels find. They have no operation of the base level. */
export class NewerRoutes<T> {
  readonly #routerByLevel: ReadonlyMap<ApiLevel, HttpRouter<T>>;
  readonly #newestRouter: HttpRouter<T> | undefined;

  /** Makes the table. @param routers newer levels, lowest first, each with a router of all operations up to it */
  constructor(routers: readonly (readonly [ApiLevel, HttpRouter<T>])[]) {
    this.#routerByLevel = new Map(routers);
    this.#newestRouter = routers.at(-1)?.[1];
  }

  /**
   * Finds the operations of a path for a client.
   * @param levelOfClient called only where some level has the path
   */
  findRouteOfPath(path: string, levelOfClient: () => ApiLevel): HttpRouteMatch<T> | undefined {
    if (!this.#newestRouter?.findRouteOfPath(path)) return undefined;
    return this.#routerByLevel.get(levelOfClient())?.findRouteOfPath(path);
  }
}

function findOrCreateChild<T>(at: RouteTreeNode<T>, segment: PathSegment): RouteTreeNode<T> {
  if ('fixed' in segment) {
    let next = at.childrenByText.get(segment.fixed);
    if (!next) {
      next = makeRouteTreeNode();
      at.childrenByText.set(segment.fixed, next);
    }
    return next;
  }
  if (segment.integer) {
    at.integerChild ??= makeRouteTreeNode();
    return at.integerChild;
  }
  if (segment.rest) {
    at.restChild ??= makeRouteTreeNode();
    return at.restChild;
  }
  at.textChild ??= makeRouteTreeNode();
  return at.textChild;
}

const MAX_PATH_SEGMENTS = 16;

function tryDecodePathSegments(path: string): string[] | undefined {
  if (path.charCodeAt(0) !== 47) return undefined;
  const segments = path.slice(1).split('/', MAX_PATH_SEGMENTS + 1);
  if (segments.length > MAX_PATH_SEGMENTS) return undefined;
  for (const [i, segment] of segments.entries()) {
    if (segment === '') return undefined;
    if (!segment.includes('%')) continue;
    try {
      segments[i] = decodeURIComponent(segment);
    } catch {
      return undefined;
    }
  }
  return segments;
}

function findRouteAndCollectValues<T>(
  at: RouteTreeNode<T>,
  segments: readonly string[],
  i: number,
  values: string[],
): HttpRoute<T> | undefined {
  const segment = segments[i];
  if (segment === undefined) return at.route;
  const fixed = at.childrenByText.get(segment);
  const found = fixed && findRouteAndCollectValues(fixed, segments, i + 1, values);
  if (found) return found;
  for (const next of [/^[0-9]+$/.test(segment) ? at.integerChild : undefined, at.textChild]) {
    if (!next) continue;
    const kept = values.length;
    values.push(segment);
    const route = findRouteAndCollectValues(next, segments, i + 1, values);
    if (route) return route;
    values.length = kept;
  }
  if (at.restChild) values.push(segments.slice(i).join('/'));
  return at.restChild?.route;
}

/**
 * Splits an operation's path below a prefix into segments.
 *
 * @throws Error for a variable segment that is not declared as a path parameter
 */
export function pathSegmentsOfOperation(prefix: string, operation: ApiOperation): PathSegment[] {
  const parts = `${prefix}${operation.path}`.split('/').slice(1);
  return parts.map((part) => {
    if (!part.startsWith('{')) return { fixed: part };
    const name = part.slice(1, -1);
    const parameter = operation.parameters[name];
    if (parameter?.in !== 'path') throw new Error(`${operation.id}: {${name}} is not declared as a path parameter`);
    return { name, integer: parameter.encoding === 'uint', rest: parameter.rest === true };
  });
}
