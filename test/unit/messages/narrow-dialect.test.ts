/** Operators of narrows that only the current dialect has: docs/api/narrow.md § Operators of later levels. */
import t from 'tap';
import {
  type NarrowDialect,
  parseDistinctNarrowTerms,
  replaceWithTerm,
  resolveNarrowTerms,
  type StoredMessage,
  type UnresolvedNarrowTerm,
} from '#domain/messages';
import { ApiError } from '#model/errors';
import { directoryWith } from '../../support/directory.js';

const directory = directoryWith({});

const parse = (narrow: unknown, dialect: NarrowDialect = 'current') =>
  parseDistinctNarrowTerms(JSON.stringify(narrow), dialect);
const resolve = (narrow: unknown, dialect: NarrowDialect = 'current') =>
  resolveNarrowTerms(parse(narrow, dialect), directory, 8, { dialect });

function reasonOf(make: () => unknown): string {
  try {
    make();
    return 'taken';
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}

const term = (operator: string, operand: UnresolvedNarrowTerm['operand'], negated = false) => ({
  operator,
  operand,
  negated,
});
const inStream = { id: 7, participants: [], body: { stream: 5, topic: 'tea' } } as unknown as StoredMessage;
const direct = { id: 8, participants: [8, 9], body: { stream: 0, topic: '' } } as unknown as StoredMessage;
const withMessage = (terms: readonly UnresolvedNarrowTerm[], message?: StoredMessage) =>
  replaceWithTerm(terms, async () => message);

t.test('newer names are aliases of the older ones, in the current dialect only', async (t) => {
  t.same(parse([{ operator: 'channel', operand: 5 }, ['channels', 'public']]), [
    term('stream', 5),
    term('streams', 'public'),
  ]);
  t.same(resolve([{ operator: 'channels', operand: 'public' }]), [{ is: 'public-streams', negated: false }]);
  t.same(parse([['channel', 'x']], 'classic'), [term('channel', 'x')]);
  for (const operator of ['channel', 'channels', 'with']) {
    t.equal(
      reasonOf(() => resolve([{ operator, operand: '5' }], 'classic')),
      `Invalid narrow operator: unknown operator ${operator}`,
    );
    t.equal(
      reasonOf(() => parse([{ operator, operand: 5 }], 'classic')),
      'elem["operand"] is not a string',
    );
  }
});

t.test('is:followed, has:reaction and integer ids, in the current dialect only', async (t) => {
  t.same(
    resolve([
      { operator: 'is', operand: 'followed', negated: true },
      { operator: 'has', operand: 'reaction' },
      { operator: 'id', operand: 5 },
    ]),
    [
      { is: 'followed', negated: true },
      { is: 'has', what: 'reaction', negated: false },
      { is: 'id', id: 5, negated: false },
    ],
  );
  t.equal(
    reasonOf(() => resolve([['is', 'followed']], 'classic')),
    "Invalid narrow operator: unknown 'is' operand followed",
  );
  t.equal(
    reasonOf(() => resolve([['has', 'reaction']], 'classic')),
    "Invalid narrow operator: unknown 'has' operand reaction",
  );
  t.equal(
    reasonOf(() => parse([{ operator: 'id', operand: 5 }], 'classic')),
    'elem["operand"] is not a string',
  );
  for (const operand of [1.5, true, null, [5], {}, 2 ** 60])
    t.equal(
      reasonOf(() => parse([{ operator: 'with', operand }])),
      'elem["operand"] is not a string or integer',
    );
});

t.test('`with` stands for the conversation in which the message is now', async (t) => {
  const given = [term('stream', 1), term('topic', 'old'), term('dm', [3]), term('is', 'unread'), term('with', 7)];
  t.same(await withMessage(given, inStream), [term('stream', 5), term('topic', 'tea'), term('is', 'unread')]);
  t.same(await withMessage([term('with', '8')], direct), [term('dm', [8, 9])]);
  t.same(await withMessage([term('stream', 1)], inStream), [term('stream', 1)], 'without the operator nothing changes');
});

t.test('a message that the caller may not read leaves the terms that name a conversation', async (t) => {
  const topic = [term('stream', 1), term('topic', 'old')];
  t.same(await withMessage([...topic, term('with', 7)]), topic);
  t.same(await withMessage([term('pm-with', 'a@b.example'), term('with', 7)]), [term('pm-with', 'a@b.example')]);
  const invalid = { message: "Invalid narrow operator: Invalid 'with' operator" };
  await t.rejects(withMessage([term('with', 7)]), invalid);
  await t.rejects(withMessage([term('stream', 1), term('with', 7)]), invalid, 'a stream alone is no conversation');
  await t.rejects(withMessage([term('stream', 1, true), term('topic', 'x'), term('with', 7)]), invalid, 'negated');
});

t.test('a `with` that makes no sense is refused, whatever the caller may read', async (t) => {
  const invalid = { message: "Invalid narrow operator: Invalid 'with' operator" };
  for (const operand of ['x', '', '7.5', '-7', -7])
    await t.rejects(withMessage([term('with', operand)], inStream), invalid);
  await t.rejects(withMessage([term('with', 7, true)], inStream), invalid, 'negated');
  await t.rejects(withMessage([term('with', 7), term('with', 8)], inStream), {
    message: "Invalid narrow operator: Duplicate 'with' operators",
  });
});
