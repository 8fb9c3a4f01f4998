/** Texts of mails, pages and notices, and the choice of their language. */
import t from 'tap';
import {
  interfaceLanguageOfBrowser,
  mailTextsIn,
  noticeTextsIn,
  pageTextsIn,
  serverLanguageOfBrowser,
  serverLanguageOfSetting,
  translatePageRefusal,
} from '#domain/texts';
import { API_ERROR_CATALOGUE } from '../../../src/model/errors/catalogue.js';

t.test('a language without texts has English ones, a regional variant those of its language', async (t) => {
  t.strictSame(['de', 'de-at', 'en-gb', 'fr', 'pt-br', ''].map(serverLanguageOfSetting), [
    'de',
    'de',
    'en',
    'en',
    'en',
    'en',
  ]);
});

t.test('a browser gets the language that it prefers among those with texts', async (t) => {
  const chosen = (header: string) => [serverLanguageOfBrowser(header, 'en'), serverLanguageOfBrowser(header, 'de')];
  t.strictSame(chosen('de-CH, en;q=0.9'), ['de', 'de']);
  t.strictSame(chosen('en;q=0.4, de;q=0.3'), ['en', 'en']);
  for (const header of ['', '*', 'fr', 'de;q=0, *;q=0.1', ',;=', '\u00ff'.repeat(1_000), 'a-'.repeat(4_000)])
    t.equal(chosen(header)[0], 'en', header.slice(0, 20));
  t.strictSame(['fr-FR,fr;q=0.9,de;q=0.8', 'xx', '*', '', 'xx, *', 'EN-us'].map(interfaceLanguageOfBrowser), [
    'fr',
    undefined,
    undefined,
    undefined,
    undefined,
    'en',
  ]);
});

t.test('German has every text, with the values of the English one', async (t) => {
  /** Calls each text with marked values. @returns which values are in which text */
  const valuesByText = (texts: object, path = ''): Record<string, readonly string[]> =>
    Object.assign(
      {},
      ...Object.entries(texts).map(([key, text]) => {
        const at = `${path}.${key}`;
        if (key === 'refusals') return {};
        if (typeof text === 'object' && text !== null) return valuesByText(text, at);
        if (typeof text !== 'function') return { [at]: [] };
        const shown = JSON.stringify(text(...MARKED_ARGUMENTS));
        return { [at]: [...new Set(shown.match(/«\w+»/g) ?? [])].sort() };
      }),
    );
  t.strictSame(valuesByText(mailTextsIn('de')), valuesByText(mailTextsIn('en')));
  t.strictSame(valuesByText(pageTextsIn('de')), valuesByText(pageTextsIn('en')));
  t.match(JSON.stringify(valuesByText(mailTextsIn('en'))), '«organization»');
});

t.test('German has every notice, with the arguments of the English one', async (t) => {
  /** Calls each text with one marked value for each argument. @returns the values in the text */
  const argumentsByText = (texts: object, marks: readonly unknown[], path = ''): Record<string, readonly string[]> =>
    Object.assign(
      {},
      ...Object.entries(texts).map(([key, text]) => {
        const at = `${path}.${key}`;
        if (typeof text === 'object' && text !== null) return argumentsByText(text, marks, at);
        const shown: string = typeof text === 'function' ? text(...marks) : text;
        t.not(shown.trim(), '', at);
        return { [at]: [...new Set(shown.match(/«\w+»|70[0-2]/g) ?? [])].sort() };
      }),
    );
  for (const marks of [
    ['«first»', '«second»', '«third»'],
    [700, 701, 702],
  ])
    t.strictSame(argumentsByText(noticeTextsIn('de'), marks), argumentsByText(noticeTextsIn('en'), marks));
  const english = argumentsByText(noticeTextsIn('en'), ['«by»', 701, 702]);
  t.strictSame(english['.streamRetentionChanged'], ['701', '702', '«by»']);
});

/** Objects as first and second argument of every text; as a value in a phrase, each shows its own mark. */
const MARKED_ARGUMENTS = ['first', 'second'].map((place) => {
  const values = [
    'fullName email organization newEmail link url comment resetUrl admin inviter inviterEmail until'.split(' '),
  ].flat();
  const marked = Object.fromEntries(values.map((name) => [name, `«${name}»`]));
  return { ...marked, account: 'none', hasPassword: true, endedSessions: 'all', toString: () => `«${place}»` };
});

t.test('refusals that pages translate are in the catalogue of errors', async (t) => {
  const known = new Set(Object.values(API_ERROR_CATALOGUE).map(({ msg }) => msg as string));
  const { refusals } = pageTextsIn('de');
  t.strictSame(
    Object.keys(refusals).filter((text) => !known.has(text)),
    [],
  );
  t.equal(
    translatePageRefusal("Email 'a$&b@c' already in use", pageTextsIn('de')),
    'Es gibt schon ein Konto mit der Adresse a$&b@c.',
  );
  t.equal(translatePageRefusal('Name too long!', pageTextsIn('en')), 'Name too long!');
  t.equal(translatePageRefusal('Something else', pageTextsIn('de')), 'Something else');
});
