import t from 'tap';
import {
  findNotifyingMentions,
  formatGroupMention,
  formatMention,
  formatTopicLink,
  hasWildcardMention,
} from '../../../web/src/completion/insertion.js';
import { findTriggerAtCaret } from '../../../web/src/completion/trigger.js';
import { foldCaseAndAccents, WordPrefixIndex } from '../../../web/src/completion/word-index.js';
import {
  chooseFence,
  makeFenceLinesEdit,
  makeLinkEdit,
  makeListContinuationEdit,
  makeMarkupToggleEdit,
  makePrefixLinesEdit,
  type TextEdit,
} from '../../../web/src/editing/edits.js';
import { formatDateTimeField, listFutureQuickChoices, parseDateTimeField } from '../../../web/src/kit-later/times.js';

/** Looks at the place of the bar in the text. */
function at(marked: string) {
  const caret = marked.indexOf('|');
  const found = findTriggerAtCaret(marked.replace('|', ''), caret);
  return found && `${found.kind} ${'silent' in found && found.silent ? '_' : ''}${found.query}`;
}

t.test('the text before the caret says what is completed', async (t) => {
  const cases: Readonly<Record<string, string | undefined>> = {
    '@|': 'person ',
    'hi @an|': 'person an',
    'hi @anna ma|': 'person anna ma',
    '@_an|': 'person _an',
    '@**an|': 'person an',
    '(@an|': 'person an',
    'mail an@example|': undefined,
    '@**Anna** an|': undefined,
    '@ an|': undefined,
    '@one two three four five|': undefined,
    '#|': 'stream ',
    'see #gen|': 'stream gen',
    '#**gen|': 'stream gen',
    '#general>pl|': 'topic pl',
    '#**general>|': 'topic ',
    '#**general>plans** and|': undefined,
    '# heading|': undefined,
    ':ta|': 'emoji ta',
    ':+1|': 'emoji +1',
    'at 10:30|': undefined,
    ':t|': undefined,
    '```py|': 'language py',
    '```\ncode @an|': undefined,
    '```\ncode\n```\n@an|': 'person an',
    '```\ncode\n```|': undefined,
    '/po|': 'command po',
    'a /po|': undefined,
    'a\n/po|': undefined,
    '@anna|bel': 'person anna',
    '@anna and :tad|': 'emoji tad',
    '@anna see #gen|': 'stream gen',
    '#general and @an|': 'person an',
    '#general>plans for @an|': 'person an',
    '#general>plans :tad|': 'emoji tad',
    '@anna: ta|': 'person anna: ta',
  };
  const found = Object.fromEntries(Object.keys(cases).map((text) => [text, at(text)]));
  t.strictSame(found, { ...cases });
});

t.test('a trigger names the first index that is replaced', async (t) => {
  t.equal(findTriggerAtCaret('see #gen', 8)?.start, 4);
  t.equal(findTriggerAtCaret('hi @_an', 7)?.start, 3);
  t.equal(findTriggerAtCaret('a :tada', 7)?.start, 2);
  t.equal(findTriggerAtCaret('x\n```py', 7)?.start, 5);
  t.match(findTriggerAtCaret('to #**general>pl', 16), { start: 3, stream: 'general' });
});

interface Named {
  readonly name: string;
  readonly mail?: string;
}

const names = (...all: string[]): Named[] => all.map((name) => ({ name }));
const indexOf = (items: readonly Named[]) =>
  new WordPrefixIndex(items, ({ name, mail }) => (mail ? [name, mail] : [name]));
const found = (items: readonly Named[], query: string, place?: (item: Named) => number): string[] =>
  indexOf(items)
    .findBestMatches(query, 5, place)
    .map(({ name }) => name);

t.test('names are found by the beginnings of their words, without case and accents', async (t) => {
  const people = names('Zoë Ångström', 'Anna Maria Smith', 'Bob Anders', 'Hannah', 'jean-luc');
  t.strictSame(found(people, 'zoe'), ['Zoë Ångström']);
  t.strictSame(found(people, 'ang'), ['Zoë Ångström']);
  t.strictSame(found(people, 'an'), ['Anna Maria Smith', 'Bob Anders', 'Zoë Ångström']);
  t.strictSame(found(people, 'smi ann'), ['Anna Maria Smith']);
  t.strictSame(found(people, 'luc'), ['jean-luc']);
  t.strictSame(found(people, 'nna'), []);
  t.strictSame(found([{ name: 'Eve', mail: 'eve.x@example.com' }], 'example'), ['Eve']);
  t.equal(foldCaseAndAccents('Łódź É'), 'łodz e');
});

t.test('the name itself comes first, then its beginning, then the likely ones', async (t) => {
  const streams = names('generalists', 'in general', 'general');
  t.strictSame(found(streams, 'general'), ['general', 'generalists', 'in general']);
  const people = names('Anna A', 'Anna B', 'Anna C');
  const isC = ({ name }: Named): number => (name === 'Anna C' ? 0 : Number.POSITIVE_INFINITY);
  t.strictSame(found(people, 'anna', isC), ['Anna C', 'Anna A', 'Anna B']);
  t.strictSame(found(people, '', isC)[0], 'Anna C');
});

t.test('likely names are found even where a letter has more matches than are looked at', async (t) => {
  const people = names(...Array.from({ length: 5_000 }, (_, n) => `Anna ${n}`), 'Anna Zzz');
  const last = people.at(-1)!;
  const index = indexOf(people);
  t.equal(index.findBestMatches('a', 3, (item) => (item === last ? 0 : 1), [last])[0], last);
  t.strictSame(index.findBestMatches('anna 4711', 3), [people[4711]]);
});

t.test('mentions are written as the server reads them', async (t) => {
  t.equal(formatMention('Anna', 7), '@**Anna**');
  t.equal(formatMention('Anna', 7, { silent: true, isAmbiguous: true }), '@_**Anna|7**');
  t.equal(formatGroupMention('staff', true), '@_*staff*');
  t.equal(formatTopicLink('general', 'plans'), '#**general>plans**');
});

t.test('mentions that notify are found, those in code are not', async (t) => {
  const text = 'hi @**Anna** and @**Bob|9**, not @_**Eve** `@**Code**`\n```\n@**Block**\n```\n@**all**';
  t.strictSame(
    findNotifyingMentions(text).map(({ name, id }) => [name, id]),
    [
      ['Anna', undefined],
      ['Bob', 9],
      ['all', undefined],
    ],
  );
  t.ok(hasWildcardMention(text));
  t.notOk(hasWildcardMention('@_**all** @**Allan**'));
});

/** Applies an edit. @returns the text, with bars at the selection */
function edited(text: string, { from, to, insertedText, selectionStart, selectionEnd }: TextEdit): string {
  const after = text.slice(0, from) + insertedText + text.slice(to);
  return selectionStart === selectionEnd
    ? `${after.slice(0, selectionStart)}|${after.slice(selectionStart)}`
    : `${after.slice(0, selectionStart)}|${after.slice(selectionStart, selectionEnd)}|${after.slice(selectionEnd)}`;
}

function change(marked: string, edit: (of: { text: string; start: number; end: number }) => TextEdit | undefined) {
  const [before = '', middle = '', after] = marked.split('|');
  const text = before + middle + (after ?? '');
  const start = before.length;
  const made = edit({ text, start, end: after === undefined ? start : start + middle.length });
  return made && edited(text, made);
}

t.test('formatting keys put marks around the selection and take them away', async (t) => {
  const bold = (text: string) => change(text, (of) => makeMarkupToggleEdit(of, '**'));
  const italic = (text: string) => change(text, (of) => makeMarkupToggleEdit(of, '*'));
  t.equal(bold('a |b| c'), 'a **|b|** c');
  t.equal(bold('a **|b|** c'), 'a |b| c');
  t.equal(bold('a |**b**| c'), 'a |b| c');
  t.equal(bold('|'), '**|**');
  t.equal(italic('**|b|**'), '***|b|***');
  t.equal(italic('***|b|***'), '**|b|**');
});

t.test('links, blocks and lists are made of the selection', async (t) => {
  const linked = (text: string) => change(text, (of) => makeLinkEdit(of, 'text'));
  t.equal(linked('see |this|'), 'see [this](|url|)');
  t.equal(linked('|'), '[|text|](url)');
  t.equal(linked('|https://example.com|'), '[|text|](https://example.com)');
  t.equal(
    change('a\n|b|', (of) => makeFenceLinesEdit(of, 'quote')),
    'a\n```quote\nb|\n```\n',
  );
  t.equal(
    change('|a\nb|', (of) => makePrefixLinesEdit(of, () => '- ')),
    '- a\n- b|',
  );
  t.equal(chooseFence('a\n````\nb'), '`````');
});

t.test('a new line goes on with a list until an item is empty', async (t) => {
  t.equal(change('- a|', makeListContinuationEdit), '- a\n- |');
  t.equal(change('  9. a|', makeListContinuationEdit), '  9. a\n  10. |');
  t.equal(change('- a\n- |', makeListContinuationEdit), '- a\n|');
  t.equal(change('a|', makeListContinuationEdit), undefined);
});

t.test('times are those of the zone, also when its clock changes', async (t) => {
  const zone = 'Europe/Berlin';
  const summer = Date.UTC(2026, 6, 1, 10, 0);
  t.equal(formatDateTimeField(summer, zone), '2026-07-01T12:00');
  t.equal(parseDateTimeField('2026-07-01T12:00', zone), summer);
  t.equal(
    parseDateTimeField('2026-10-25T09:00', zone),
    Date.UTC(2026, 9, 25, 8, 0),
    'the day on which winter time begins',
  );
  t.equal(
    parseDateTimeField('2026-03-29T09:00', zone),
    Date.UTC(2026, 2, 29, 7, 0),
    'the day on which summer time begins',
  );
  t.equal(parseDateTimeField('', zone), undefined);
});

t.test('quick choices lie ahead in the zone of the user', async (t) => {
  const choices = (now: number, zone: string) =>
    listFutureQuickChoices(now, zone).map(({ choice, at }) => `${choice} ${formatDateTimeField(at, zone)}`);
  // A Thursday, 12:03 in Berlin.
  t.strictSame(choices(Date.UTC(2026, 6, 2, 10, 3), 'Europe/Berlin'), [
    'hour 2026-07-02T13:00',
    'evening 2026-07-02T18:00',
    'morning 2026-07-03T09:00',
    'monday 2026-07-06T09:00',
  ]);
  // The same moment is Thursday, 20:03 in Brisbane; a Sunday offers Monday once.
  t.strictSame(choices(Date.UTC(2026, 6, 2, 10, 3), 'Australia/Brisbane').slice(0, 2), [
    'hour 2026-07-02T21:00',
    'morning 2026-07-03T09:00',
  ]);
  t.notOk(choices(Date.UTC(2026, 6, 5, 10, 0), 'UTC').some((choice) => choice.startsWith('monday')));
});
