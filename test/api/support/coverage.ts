/** What the suite tried: successes, errors and roles per operation, printed at the end. */
import { errorEntry, errorsOf } from './wire.js';

interface Tried {
  successes: number;
  /** Refusals by status and message template. */
  readonly errors: Set<string>;
  /** Entries of wire.json among them. */
  readonly entries: Set<string>;
  readonly roles: Set<string>;
}

const tried = new Map<string, Tried>();

function of(operation: string): Tried {
  let found = tried.get(operation);
  if (!found) {
    found = { successes: 0, errors: new Set(), entries: new Set(), roles: new Set() };
    tried.set(operation, found);
  }
  return found;
}

export function countAnswer(operation: string, role: string, status: number, msg: string): void {
  const entry = of(operation);
  entry.roles.add(role);
  if (status < 300) {
    entry.successes++;
    return;
  }
  const declared = errorEntry(operation, status, msg);
  entry.errors.add(`${status} ${declared?.msg ?? msg}`);
  if (declared) entry.entries.add(declared.msg);
}

/** One row per operation, and below the errors of wire.json that were not brought about. */
export function coverageTable(title: string): string {
  const rows = [...tried].sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = [`${title}: operation | successes | error cases (of wire.json's own) | roles`];
  for (const [operation, { successes, errors, entries, roles }] of rows) {
    const declared = errorsOf(operation).length;
    lines.push(
      `${operation} | ${successes} | ${errors.size} (${entries.size} of ${declared}) | ${[...roles].sort().join(', ')}`,
    );
  }
  for (const [operation, { entries }] of rows) {
    const missing = errorsOf(operation).filter((entry) => !entries.has(entry.msg));
    if (missing.length > 0) lines.push(`not tried, ${operation}: ${missing.map((entry) => entry.msg).join(' / ')}`);
  }
  return lines.join('\n');
}
