/**
 * The last check of a whole run: everything declared was tried. Each operation was called with a success, with each of
 * its errors, and as each role; each change was also made before the eyes of clients that follow events.
 */
import type { Test } from 'tap';
import { API_OPERATIONS } from '#frontend/api';
import { NOT_BROUGHT_ABOUT, NOT_SUCCEEDED, NOT_TRIED_AS, NOT_WATCHED } from './contract-exceptions.js';
import { watchedAs } from './support/actions.js';
import { triedOf } from './support/coverage.js';
import { declaredAs, errorsOf } from './support/wire.js';

/**
 * `foreign`: a user of another organization, at this one's address and with ids of this one. `deactivated`: a user
 * with a deactivated account.
 */
const ROLES = ['owner', 'admin', 'moderator', 'member', 'guest', 'nobody', 'foreign', 'deactivated', 'bot'];

/** `*: outcome` excuses an outcome of every operation, `operation: *` all outcomes of one operation. */
const excuses = (key: string, one: string): boolean =>
  key === one ||
  (key.startsWith('*: ') && one.endsWith(key.slice(1))) ||
  (key.endsWith(': *') && one.startsWith(key.slice(0, -1)));

/** Fails for missing outcomes that the table does not excuse, and for excuses without need. */
function compare(t: Test, title: string, missing: readonly string[], excused: Readonly<Record<string, string>>): void {
  const lacking = missing.filter((one) => !Object.keys(excused).some((key) => excuses(key, one)));
  const needless = Object.keys(excused).filter((key) => isDeclared(key) && !missing.some((one) => excuses(key, one)));
  for (const one of lacking) t.fail(`not ${title}: ${one}`, { diagnostic: false });
  for (const one of needless) t.fail(`no exception any more, ${title}: ${one}`, { diagnostic: false });
  if (lacking.length + needless.length === 0) t.pass(`all ${title}`);
}

const declared = new Map(
  API_OPERATIONS.filter(({ root }) => !root).map(({ method, path }) => [
    declaredAs(method, path)?.[0] ?? `${method} ${path}`,
    method,
  ]),
);

/** Exceptions begin with the operation's name. Exceptions of operations that do not exist yet are ignored. */
const isDeclared = (exception: string): boolean =>
  exception.startsWith('*: ') || [...declared.keys()].some((name) => exception.startsWith(`${name}: `));

export async function contractGate(t: Test): Promise<void> {
  const names = [...declared.keys()].sort();

  compare(
    t,
    'succeeded',
    names.filter((name) => triedOf(name).successes === 0).map((name) => `${name}: success`),
    NOT_SUCCEEDED,
  );

  const errors = names.flatMap((name) => {
    const { entries } = triedOf(name);
    return errorsOf(name)
      .filter((entry) => !entries.has(entry))
      .map((entry) => `${name}: ${entry.msg}${entry.when ? ` (${entry.when})` : ''}`);
  });
  compare(t, 'brought about', errors, NOT_BROUGHT_ABOUT);

  const roles = names.flatMap((name) => {
    const as = triedOf(name).roles;
    return ROLES.filter((role) => !as.has(role)).map((role) => `${name}: ${role}`);
  });
  compare(t, 'called as', roles, NOT_TRIED_AS);

  const unseen = names
    .filter((name) => declared.get(name) !== 'GET')
    .flatMap((name) => {
      const { acting, bystander } = watchedAs(name);
      return [...(acting ? [] : [`${name}: acting`]), ...(bystander ? [] : [`${name}: bystander`])];
    });
  compare(t, 'watched by clients of events', unseen, NOT_WATCHED);
}
