/** Limits of one narrow, and the indexes that it uses: docs/limits.md § Lists and dictionaries. */
import t from 'tap';
import {
  MAX_NARROW_TERMS,
  makeNarrowQueryPlan,
  makeViewerWithoutFlags,
  parseDistinctNarrowTerms,
  resolveNarrowTerms,
  type StoredMessage,
} from '#domain/messages';
import { toRealmId } from '#model';
import { ApiError } from '#model/errors';
import { MAX_STEMS_LOOKED_UP_PER_SEARCH } from '../../../src/domain/messages/narrow/conditions.js';
import { makeStreamHistoryRanges } from '../../../src/domain/messages/narrow/sources.js';
import { MAX_NARROW_JSON_CHARACTERS } from '../../../src/domain/messages/narrow/terms.js';
import { MAX_STEMS_AND_PHRASES_PER_SEARCH } from '../../../src/domain/messages/search/query.js';
import { sharedIndexesOfMessageRanges } from '../../../src/ports/store/message-range.js';
import { directoryWith } from '../../support/directory.js';

const directory = directoryWith({});
const viewer = makeViewerWithoutFlags({
  realm: toRealmId(1),
  user: { id: 8 } as never,
  directory,
  subscribed: () => true,
});

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

t.test('words and phrases of all searches in a narrow count towards one limit, repeats once', async (t) => {
  const resolve = (searchApart: boolean, ...operands: string[]) =>
    reasonOf(() =>
      resolveNarrowTerms(
        operands.map((operand) => search(operand)),
        directory,
        8,
        { searchApart },
      ),
    );
  const refusal = `Invalid narrow operator: too many search terms (maximum ${MAX_STEMS_AND_PHRASES_PER_SEARCH})`;
  for (const apart of [false, true]) {
    t.equal(resolve(apart, words(MAX_STEMS_AND_PHRASES_PER_SEARCH)), 'taken');
    t.equal(resolve(apart, words(MAX_STEMS_AND_PHRASES_PER_SEARCH + 1)), refusal);
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

t.test('the number of operators is limited, and so is the length of the text, before parsing', async (t) => {
  const narrow = (count: number) => JSON.stringify(Array.from({ length: count }, (_, i) => ['sender', `${i}@x.org`]));
  t.equal(
    reasonOf(() => parseDistinctNarrowTerms(narrow(MAX_NARROW_TERMS))),
    'taken',
  );
  const tooMany = `narrow has too many items (limit: ${MAX_NARROW_TERMS})`;
  t.equal(
    reasonOf(() => parseDistinctNarrowTerms(narrow(MAX_NARROW_TERMS + 1))),
    tooMany,
  );
  const long = (length: number) => `[["topic","${'x'.repeat(length - 14)}"]]`;
  t.equal(
    reasonOf(() => parseDistinctNarrowTerms(long(MAX_NARROW_JSON_CHARACTERS))),
    'taken',
  );
  const tooLong = `narrow is too long (limit: ${MAX_NARROW_JSON_CHARACTERS} characters)`;
  t.equal(
    reasonOf(() => parseDistinctNarrowTerms(long(MAX_NARROW_JSON_CHARACTERS + 1))),
    tooLong,
  );
  t.equal(
    reasonOf(() => parseDistinctNarrowTerms('['.repeat(MAX_NARROW_JSON_CHARACTERS + 1))),
    tooLong,
  );
});

t.test('only the longest words are looked up in the indexes; all words are tested on the messages found', async (t) => {
  const rare = Array.from({ length: MAX_STEMS_LOOKED_UP_PER_SEARCH }, (_, i) => `${'zqx'.repeat(5)}${i}`);
  const all = [...words(MAX_STEMS_AND_PHRASES_PER_SEARCH - rare.length).split(' '), ...rare];
  const { conditions, matches } = makeNarrowQueryPlan(
    resolveNarrowTerms([search(all.join(' '))], directory, 8),
    viewer,
  );
  t.same(
    new Set(conditions.also.map((index) => index.by === 'tag' && index.tag)),
    new Set(rare.map((word) => `=${word}`)),
  );
  const message = (html: string): StoredMessage =>
    ({
      id: 1,
      originStream: 1,
      sender: 8,
      participants: [],
      body: { html, topic: '', content: '', stream: 1 },
    }) as never;
  const found = (html: string) => matches({ message: message(html), copy: true, gained: false });
  t.ok(found(all.join(' ')));
  t.notOk(found(rare.join(' ')), 'a word that is not looked up is missing');
});

t.test('a repeated condition is looked up once', async (t) => {
  const has = { operator: 'has', operand: 'link', negated: false };
  const terms = resolveNarrowTerms([has, has, search('tea'), search('teas'), has], directory, 8, { searchApart: true });
  t.equal(makeNarrowQueryPlan(terms, viewer).conditions.also.length, 2);
});

t.test('sharedIndexes finds exactly the indexes that all ranges have in common', async (t) => {
  const streams = Array.from({ length: 20 }, (_, i) => i + 1);
  const { conditions } = makeNarrowQueryPlan(resolveNarrowTerms([search('green tea')], directory, 8), viewer);
  const ranges = makeStreamHistoryRanges(streams, conditions);
  t.equal(ranges.length, 20);
  t.same(new Set(sharedIndexesOfMessageRanges(ranges)), new Set(conditions.also));
  t.same(sharedIndexesOfMessageRanges([...ranges, { index: { by: 'realm' } }]), []);
  t.same(sharedIndexesOfMessageRanges([]), []);
  t.same(sharedIndexesOfMessageRanges(ranges.slice(0, 1)).length, 3, 'one range shares all its indexes');
});
