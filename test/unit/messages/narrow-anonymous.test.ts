/** Narrows allowed without an account: narrow.md § Operators. */
import fc from 'fast-check';
import t from 'tap';
import { requireAnonymousNarrow, type UnresolvedNarrowTerm } from '#domain/messages';
import { toStreamId } from '#model';
import { ApiError } from '#model/errors';
import type { DirectoryStream } from '#model/records';
import { directoryWith } from '../../support/directory.js';

const stream = (id: number, name: string, webPublic: boolean, archived = false): DirectoryStream =>
  ({ id: toStreamId(id), name, webPublic, archived, inviteOnly: false, historyPublic: true }) as DirectoryStream;
const directory = directoryWith({
  streams: [stream(1, 'Window', true), stream(2, 'indoors', false), stream(3, 'boarded up', true, true)],
});

const term = (operator: string, operand: UnresolvedNarrowTerm['operand'], negated = false): UnresolvedNarrowTerm => ({
  operator,
  operand,
  negated,
});
const WEB = term('streams', 'web-public');

/** 'allowed', or the code of the error. */
function check(...raw: UnresolvedNarrowTerm[]): string {
  try {
    requireAnonymousNarrow(raw, directory);
    return 'allowed';
  } catch (error) {
    if (error instanceof ApiError) return error.reason;
    throw error;
  }
}

t.test('a narrow must have the term streams:web-public', async (t) => {
  t.equal(check(WEB), 'allowed');
  t.equal(check(), 'NOT_LOGGED_IN');
  t.equal(check(term('stream', 'Window')), 'NOT_LOGGED_IN');
  t.equal(check(term('streams', 'web-public', true)), 'NOT_LOGGED_IN', 'negated');
  t.equal(check(term('streams', 'public')), 'NOT_LOGGED_IN');
  t.equal(check(term('topic', 'x'), WEB), 'allowed', 'at any position');
});

t.test('personal operators are refused, negated or not', async (t) => {
  for (const operator of ['topic', 'sender', 'has', 'search', 'near', 'id']) {
    t.equal(check(WEB, term(operator, '1')), 'allowed', operator);
  }
  for (const operator of ['is', 'in', 'dm', 'pm-with', 'dm-including', 'group-pm-with', 'nonsense', 'constructor']) {
    for (const negated of [false, true]) {
      t.equal(check(WEB, term(operator, '1', negated)), 'NOT_LOGGED_IN', `${operator} ${negated}`);
    }
  }
});

t.test('a stream that the narrow names must be web-public', async (t) => {
  for (const operand of ['Window', ' window ', 'WINDOW', 1]) {
    t.equal(check(WEB, term('stream', operand)), 'allowed', `${operand}`);
  }
  for (const operand of ['indoors', 2, 'boarded up', 3, 'nowhere', 99, '', -1]) {
    for (const negated of [false, true]) {
      t.equal(check(WEB, term('stream', operand, negated)), 'BAD_NARROW', `${operand} ${negated}`);
    }
  }
  t.equal(check(WEB, term('stream', 1), term('stream', 2)), 'BAD_NARROW', 'each of them');
  t.equal(check(term('stream', 2)), 'NOT_LOGGED_IN', 'without streams:web-public, the stream is not looked up');
});

t.test('no list of terms gives access to other streams', async () => {
  const operators = ['streams', 'stream', 'topic', 'is', 'dm', 'search'];
  const operand = fc.oneof(fc.constantFrom('web-public', 'public', 'Window', 'indoors', '1', 'dm'), fc.integer());
  const terms = fc.array(fc.record({ operator: fc.constantFrom(...operators), operand, negated: fc.boolean() }), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(terms, (raw) => {
      const streams = raw.filter(({ operator }) => operator === 'stream');
      const open = (of: UnresolvedNarrowTerm): boolean => of.operand === 1 || of.operand === 'Window';
      const personal = raw.some(({ operator }) => operator === 'is' || operator === 'dm');
      const asks = raw.some((of) => of.operator === 'streams' && of.operand === 'web-public' && !of.negated);
      return (check(...raw) === 'allowed') === (asks && !personal && streams.every(open));
    }),
  );
});
