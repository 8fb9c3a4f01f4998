import t from 'tap';
import { matchFuzzy, rankByQuery } from '../../../web/src/search/ranking.js';

const names = (items: readonly string[], query: string): string[] =>
  rankByQuery(items, query, { getText: (name) => name, limit: 10 }).map(({ item }) => item);

t.test('the whole name comes first, then beginnings, words, initials, pieces, scattered characters', async (t) => {
  const items = [
    'a sandbox design box',
    'redesign',
    'design',
    'new design',
    'design reviews',
    'dear ones',
    'dates in use',
  ];
  t.strictSame(names(items, 'design').slice(0, 4), ['design', 'design reviews', 'new design', 'a sandbox design box']);
  t.equal(names(items, 'design').at(-1), 'redesign');
  t.strictSame(names(['deep river', 'dreary', 'dr'], 'dr'), ['dr', 'dreary', 'deep river']);
});

t.test('characters far apart are no match', async (t) => {
  t.ok(matchFuzzy('rlse', 'release'));
  t.notOk(matchFuzzy('rx', 'release candidate of the next fox'));
  t.notOk(matchFuzzy('z', 'release'));
});

t.test('each word of the query has to be there, in any order', async (t) => {
  t.strictSame(names(['engineering › release 2.4', 'engineering › search', 'general › release'], 'rel eng'), [
    'engineering › release 2.4',
  ]);
});

t.test('case and accents make no difference', async (t) => {
  t.strictSame(names(['Ünal Çelik', 'Unrelated'], 'unal celik'), ['Ünal Çelik']);
  t.strictSame(names(['Unal'], 'ÜNAL'), ['Unal']);
});

t.test('a match names the positions to mark', async (t) => {
  t.strictSame(matchFuzzy('lunch', 'general › lunch')?.matchedPositions, [10, 11, 12, 13, 14]);
  t.strictSame(matchFuzzy('gl', 'general › lunch')?.matchedPositions, [0, 10], 'initials');
  t.strictSame(matchFuzzy('', 'anything'), { score: 0, matchedPositions: [] });
});

t.test('a likely place wins among equals, and never over a better kind of match', async (t) => {
  const boostOf = (name: string): number => (name === 'plans b' || name === 'old plans' ? 1 : 0);
  const found = rankByQuery(['plans a', 'plans b', 'old plans'], 'plans', {
    getText: (name) => name,
    getBoost: boostOf,
    limit: 9,
  });
  t.strictSame(
    found.map(({ item }) => item),
    ['plans b', 'plans a', 'old plans'],
  );
});

t.test('the list ends at the limit', async (t) => {
  const many = Array.from({ length: 5_000 }, (_, index) => `topic ${index}`);
  t.equal(rankByQuery(many, 'topic 49', { getText: (name) => name, limit: 20 }).length, 20);
  t.equal(rankByQuery(many, 'topic 49', { getText: (name) => name, limit: 20 })[0]?.item, 'topic 49');
});
