import t from 'tap';
import {
  extractResolvedTerms,
  formatTermAsTyped,
  parseSearch,
  removeWordBeingTyped,
  type SearchNameContext,
  suggestCompletions,
} from '../../../web/src/search/terms.js';

const WORLD: SearchNameContext = {
  myUserId: 7,
  streams: [
    { id: 1, name: 'general' },
    { id: 2, name: 'Random Talk' },
  ],
  people: [
    { id: 7, name: 'Mia Member', email: 'mia@example.com' },
    { id: 8, name: 'Priya Raman', email: 'priya@example.com' },
    { id: 9, name: 'Kenji', email: 'kenji@example.com' },
  ],
  listTopics: (stream) => (stream === 1 ? ['lunch on friday', 'release'] : ['books']),
};

const narrow = (text: string) => parseSearch([], text, WORLD).narrow;

t.test('words without an operator are searched for together', async (t) => {
  t.strictSame(narrow('  two  words '), [{ operator: 'search', operand: 'two words' }]);
  t.strictSame(narrow('"an exact phrase"'), [{ operator: 'search', operand: '"an exact phrase"' }]);
  t.strictSame(narrow(''), []);
});

t.test('operators name streams and people by id', async (t) => {
  t.strictSame(narrow('stream:"random talk" topic:books'), [
    { operator: 'stream', operand: 2 },
    { operator: 'topic', operand: 'books' },
  ]);
  t.strictSame(narrow('sender:priya@example.com'), [{ operator: 'sender', operand: 8 }]);
  t.strictSame(narrow('from:me'), [{ operator: 'sender', operand: 7 }], 'another word for it');
  t.strictSame(narrow('dm:kenji,"Priya Raman"'), [{ operator: 'dm', operand: [8, 9] }]);
  t.strictSame(narrow('dm:me'), [{ operator: 'dm', operand: [7] }], 'notes to self');
  t.strictSame(narrow('from:priy timeout'), [
    { operator: 'sender', operand: 8 },
    { operator: 'search', operand: 'timeout' },
  ]);
  t.strictSame(narrow('from:ram'), [{ operator: 'sender', operand: 8 }], 'a later word of the name');
  const ambiguous = { ...WORLD, people: [...WORLD.people, { id: 10, name: 'Ram', email: 'r@example.com' }] };
  t.strictSame(parseSearch([], 'from:ra', ambiguous).narrow, [{ operator: 'search', operand: 'from:ra' }]);
  t.strictSame(parseSearch([], 'from:ram', ambiguous).narrow, [{ operator: 'sender', operand: 10 }], 'the whole name');
});

t.test('the beginning of a name is a person only in a search that is complete', async (t) => {
  const typed = (text: string) => extractResolvedTerms(text, WORLD, false);
  t.strictSame(typed('from:priya '), { narrow: [], rest: 'from:priya ', unknown: ['from:priya'] });
  t.strictSame(
    typed('from:kenji '),
    { narrow: [{ operator: 'sender', operand: 9 }], rest: '', unknown: [] },
    'a whole name',
  );
  t.strictSame(narrow('from:priya'), [{ operator: 'sender', operand: 8 }]);
});

t.test('the word me is the reader only in a term of people', async (t) => {
  const me = { kind: 'term', term: { operator: 'sender', operand: 7 } };
  t.strictSame(suggestCompletions([], 'from:me', WORLD)[0], me);
  const world = { ...WORLD, people: [...WORLD.people, { id: 11, name: 'Mel', email: 'mel@example.com' }] };
  const people = suggestCompletions([], 'me', world).flatMap((of) => (of.kind === 'term' ? [of.term.operand] : []));
  t.equal(
    people.find((id) => id === 7 || id === 11),
    11,
  );
});

t.test('terms with unknown values are named', async (t) => {
  t.strictSame(parseSearch([], 'from:nadine "in:tray" tea is:', WORLD).unknown, ['from:nadine']);
});

t.test('a minus excludes', async (t) => {
  t.strictSame(narrow('-sender:kenji -is:starred'), [
    { operator: 'sender', operand: 9, negated: true },
    { operator: 'is', operand: 'starred', negated: true },
  ]);
});

t.test('near is a place in the view, not a condition', async (t) => {
  t.strictSame(parseSearch([], 'stream:general near:42', WORLD), {
    narrow: [{ operator: 'stream', operand: 1 }],
    near: 42,
    unknown: [],
  });
});

t.test('a term without such a name stays a word of the search', async (t) => {
  t.strictSame(narrow('stream:nowhere https://example.com has:teeth'), [
    { operator: 'search', operand: 'stream:nowhere https://example.com has:teeth' },
  ]);
});

t.test('while typing, only finished words become terms', async (t) => {
  t.strictSame(extractResolvedTerms('is:starred', WORLD, false), { narrow: [], rest: 'is:starred', unknown: [] });
  t.strictSame(extractResolvedTerms('is:starred ', WORLD, false), {
    narrow: [{ operator: 'is', operand: 'starred' }],
    rest: '',
    unknown: [],
  });
  t.strictSame(extractResolvedTerms('stream:"random ', WORLD, false), {
    narrow: [],
    rest: 'stream:"random ',
    unknown: [],
  });
  t.strictSame(extractResolvedTerms('stream:"random talk"', WORLD, false), {
    narrow: [{ operator: 'stream', operand: 2 }],
    rest: '',
    unknown: [],
  });
  t.strictSame(extractResolvedTerms('two words ', WORLD, false), { narrow: [], rest: 'two words ', unknown: [] });
});

t.test('each term is read as it is written', async (t) => {
  const terms = narrow(
    'stream:"Random Talk" -topic:"a b" sender:kenji dm:8,9 is:dm has:link in:home streams:public id:5',
  );
  t.equal(terms.length, 9);
  t.strictSame(narrow(terms.map((term) => formatTermAsTyped(term, WORLD)).join(' ')), terms);
});

t.test('completion offers operators, values, and names without an operator', async (t) => {
  t.strictSame(suggestCompletions([], 'se', WORLD)[0], { kind: 'operator', operator: 'sender', negated: false });
  t.strictSame(suggestCompletions([], '-str', WORLD)[0], { kind: 'operator', operator: 'stream', negated: true });
  t.strictSame(suggestCompletions([], 'sender:me', WORLD)[0], {
    kind: 'term',
    term: { operator: 'sender', operand: 7 },
  });
  t.strictSame(suggestCompletions([], 'words sender:pri', WORLD), [
    { kind: 'term', term: { operator: 'sender', operand: 8 } },
  ]);
  t.strictSame(suggestCompletions([], '-has:im', WORLD), [
    { kind: 'term', term: { operator: 'has', operand: 'image', negated: true } },
  ]);
  t.strictSame(suggestCompletions([], 'dm:kenji,pri', WORLD), [
    { kind: 'term', term: { operator: 'dm', operand: [8, 9] } },
  ]);
  t.ok(suggestCompletions([], 'rand', WORLD).some((one) => one.kind === 'term' && one.term.operand === 2));
  t.ok(suggestCompletions([], 'kenj', WORLD).some((one) => one.kind === 'term' && one.term.operator === 'dm'));
  t.equal(suggestCompletions([], '', WORLD).length, 11, 'all operators at first');
  t.strictSame(suggestCompletions([], 'word ', WORLD), []);
});

t.test('topics of the chosen stream are offered, those of all streams otherwise', async (t) => {
  const offered = (terms: Parameters<typeof suggestCompletions>[0]) =>
    suggestCompletions(terms, 'topic:', WORLD).map((one) => one.kind === 'term' && one.term.operand);
  t.strictSame(offered([{ operator: 'stream', operand: 2 }]), ['books']);
  t.strictSame(offered([]), ['lunch on friday', 'release', 'books']);
});

t.test('a suggestion replaces the word being typed', async (t) => {
  t.equal(removeWordBeingTyped('two words sender:pri'), 'two words ');
  t.equal(removeWordBeingTyped('two words '), 'two words ');
});
