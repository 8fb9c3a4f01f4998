/** The size of one narrow, and its use of indexes: docs/limits.md § Lists and dictionaries. */
import t from 'tap';
import type { StoredMessage } from '#domain/messages';
import { MOST_OPERATORS, makePlan, parseNarrow, plainViewer, resolveTerms } from '#domain/messages';
import { realmId } from '#model';
import { ApiError } from '#model/errors';
import { MOST_INDEXED_WORDS } from '../../../src/domain/messages/conditions.js';
import { LONGEST_NARROW } from '../../../src/domain/messages/narrow.js';
import { MOST_TERMS } from '../../../src/domain/messages/search/query.js';
import { historyRanges } from '../../../src/domain/messages/sources.js';
import { sharedIndexes } from '../../../src/ports/store/message-range.js';
import { directoryWith } from '../../support/directory.js';

const directory = directoryWith({});
const viewer = plainViewer({ realm: realmId(1), user: { id: 8 } as never, directory, subscribed: () => true });

/** A text of `count` different words. */
const words = (count: number, prefix = 'zq'): string =>
  Array.from({ length: count }, (_, i) => `${prefix}${i}x`).join(' ');
const search = (operand: string, negated = false) => ({ operator: 'search', operand, negated });

function reasonOf(make: () => unknown): string {
  try {
    make();
    return 'taken';
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}

t.test('words and phrases of all searches of a narrow are counted, each once', async (t) => {
  const resolve = (searchApart: boolean, ...operands: string[]) =>
    reasonOf(() =>
      resolveTerms(
        operands.map((operand) => search(operand)),
        directory,
        8,
        { searchApart },
      ),
    );
  const refusal = `Invalid narrow operator: too many search terms (maximum ${MOST_TERMS})`;
  for (const apart of [false, true]) {
    t.equal(resolve(apart, words(MOST_TERMS)), 'taken');
    t.equal(resolve(apart, words(MOST_TERMS + 1)), refusal);
    t.equal(resolve(apart, words(100_000)), refusal);
    t.equal(resolve(apart, words(60), words(60, 'other')), refusal, 'together');
    t.equal(
      resolve(apart, `${words(60)} ${'"one word" "another word" '.repeat(2)} ${words(99)}`),
      refusal,
      'phrases besides',
    );
  }
  t.equal(resolve(false, `${words(50)} ${words(50)} ${words(50)}`), 'taken', 'repeated words count once');
  t.equal(resolve(false, `${'the '.repeat(5_000)} tea`), 'taken', 'stop words do not count');
  t.equal(resolve(false, '"a b" '.repeat(5_000)), 'taken', 'repeated phrases count once');
});

t.test('the operators of a narrow are counted, and its text is measured before it is read', async (t) => {
  const narrow = (count: number) => JSON.stringify(Array.from({ length: count }, (_, i) => ['sender', `${i}@x.org`]));
  t.equal(
    reasonOf(() => parseNarrow(narrow(MOST_OPERATORS))),
    'taken',
  );
  const tooMany = `narrow has too many items (limit: ${MOST_OPERATORS})`;
  t.equal(
    reasonOf(() => parseNarrow(narrow(MOST_OPERATORS + 1))),
    tooMany,
  );
  const long = (length: number) => `[["topic","${'x'.repeat(length - 14)}"]]`;
  t.equal(
    reasonOf(() => parseNarrow(long(LONGEST_NARROW))),
    'taken',
  );
  const tooLong = `narrow is too long (limit: ${LONGEST_NARROW} characters)`;
  t.equal(
    reasonOf(() => parseNarrow(long(LONGEST_NARROW + 1))),
    tooLong,
  );
  t.equal(
    reasonOf(() => parseNarrow('['.repeat(LONGEST_NARROW + 1))),
    tooLong,
  );
});

t.test('the longest of many words are looked up in each place, and found messages are checked for all', async (t) => {
  const rare = Array.from({ length: MOST_INDEXED_WORDS }, (_, i) => `${'zqx'.repeat(5)}${i}`);
  const all = [...words(MOST_TERMS - rare.length).split(' '), ...rare];
  const { conditions, matches } = makePlan(resolveTerms([search(all.join(' '))], directory, 8), viewer);
  t.same(
    new Set(conditions.also.map((index) => index.by === 'tag' && index.tag)),
    new Set(rare.map((word) => `=${word}`)),
  );
  const message = (html: string): StoredMessage =>
    ({ id: 1, home: 1, sender: 8, participants: [], body: { html, topic: '', content: '', stream: 1 } }) as never;
  const found = (html: string) => matches({ message: message(html), copy: true, gained: false });
  t.ok(found(all.join(' ')));
  t.notOk(found(rare.join(' ')), 'a word that is not looked up is missing');
});

t.test('a repeated condition is one', async (t) => {
  const has = { operator: 'has', operand: 'link', negated: false };
  const terms = resolveTerms([has, has, search('tea'), search('teas'), has], directory, 8, { searchApart: true });
  t.equal(makePlan(terms, viewer).conditions.also.length, 2);
});

t.test('the intersection of ranges is exact', async (t) => {
  const streams = Array.from({ length: 20 }, (_, i) => i + 1);
  const { conditions } = makePlan(resolveTerms([search('green tea')], directory, 8), viewer);
  const ranges = historyRanges(streams, conditions);
  t.equal(ranges.length, 20);
  t.same(new Set(sharedIndexes(ranges)), new Set(conditions.also));
  t.same(sharedIndexes([...ranges, { index: { by: 'realm' } }]), []);
  t.same(sharedIndexes([]), []);
  t.same(sharedIndexes(ranges.slice(0, 1)).length, 3, 'of one range all');
});
