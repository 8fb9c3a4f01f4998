/** The coverage of the suite: successes, errors and roles per operation, and changes watched by clients of events. */
import { errorsOf, type WireError } from './wire.js';

export interface Tried {
  successes: number;
  /** Refusals by status and message, templates where wire.json has one. */
  readonly errors: Set<string>;
  /** The operation's own entries of wire.json among the refusals. */
  readonly entries: Set<WireError>;
  /** Roles that got a success, or a refusal about more than a parameter. */
  readonly roles: Set<string>;
}

const tried = new Map<string, Tried>();

export function triedOf(operation: string): Tried {
  let found = tried.get(operation);
  if (!found) {
    found = { successes: 0, errors: new Set(), entries: new Set(), roles: new Set() };
    tried.set(operation, found);
  }
  return found;
}

/** Refusals that do not depend on the caller's rights. */
const ABOUT_PARAMETERS = ['REQUEST_VARIABLE_MISSING', 'REQUEST_VARIABLE_INVALID', 'REQUEST_CONFUSING_VAR'];

export function countSuccess(operation: string, role: string): void {
  const of = triedOf(operation);
  of.roles.add(role);
  of.successes++;
}

/** @param entry the operation's own, undefined for errors of all operations */
export function countRefusal(
  operation: string,
  role: string,
  status: number,
  body: { code?: unknown; msg?: unknown },
  entry: WireError | undefined,
): void {
  const of = triedOf(operation);
  if (!ABOUT_PARAMETERS.includes(String(body.code))) of.roles.add(role);
  of.errors.add(`${status} ${entry?.msg ?? body.msg}`);
  if (entry) of.entries.add(entry);
}

/** Events delivered to any queue of the suite, by type/op. */
const deliveredEvents = new Map<string, number>();

export function countEvent(name: string): void {
  deliveredEvents.set(name, (deliveredEvents.get(name) ?? 0) + 1);
}

/** One row per operation. */
export function coverageTable(title: string): string {
  const rows = [...tried].sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = [`${title}: operation | successes | error cases (of wire.json's own) | roles`];
  for (const [operation, { successes, errors, entries, roles }] of rows) {
    const declared = errorsOf(operation).length;
    lines.push(
      `${operation} | ${successes} | ${errors.size} (${entries.size} of ${declared}) | ${[...roles].sort().join(', ')}`,
    );
  }
  const events = [...deliveredEvents].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, count]) => `${name} ${count}`);
  lines.push(`events delivered: ${events.join(', ')}`);
  return lines.join('\n');
}
