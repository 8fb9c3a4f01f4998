import t from 'tap';
import { API_ERROR_CATALOGUE, type ErrorCatalogueEntry } from '../../../src/model/errors/catalogue.js';
import { formatFailureText } from '../../../web/src/client/failure.js';
import { ApiFailure } from '../../../web/src/core/index.js';
import { SHORTCUT_GROUPS, SHORTCUTS } from '../../../web/src/keyboard/index.js';
import { germanTexts } from '../../../web/src/text/de/index.js';
import { laterTexts as germanLater, refusalTexts } from '../../../web/src/text/de/later.js';
import { englishTexts } from '../../../web/src/text/en/index.js';
import { laterTexts } from '../../../web/src/text/en/later.js';
import {
  compareNames,
  currentLanguage,
  formatByteSize,
  formatCalendarDay,
  formatFullDateTime,
  formatNameList,
  formatRelativeDay,
  formatRelativeTime,
  formatShortTime,
  formatTimeInZone,
  formatTimeOfDay,
  loadAndUseFirstKnownLanguage,
  loadLaterTexts,
  setDisplayZoneByName,
  t as text,
  translateToPieces,
  uses24HourClock,
} from '../../../web/src/text/index.js';

type Forms = string | Readonly<Record<string, string>>;

const formsOf = (entry: Forms): string[] => (typeof entry === 'string' ? [entry] : Object.values(entry));
const placeholdersOf = (form: string): string[] => [...new Set(form.match(/\{[\w-]+\}/g) ?? [])].sort();

const english: Readonly<Record<string, Forms>> = { ...englishTexts, ...laterTexts };
const german: Readonly<Record<string, Forms>> = { ...germanTexts, ...germanLater };

t.test('German has every key of English, and no other', async (t) => {
  t.ok(Object.keys(english).length > 100);
  t.strictSame(Object.keys(german).sort(), Object.keys(english).sort());
});

t.test('a text has the same placeholders in each language and in each plural form', async (t) => {
  const wrong = Object.keys(english).filter((key) => {
    const wanted = placeholdersOf(formsOf(english[key]!).at(-1)!).join();
    return [...formsOf(english[key]!), ...formsOf(german[key]!)].some((form) => placeholdersOf(form).join() !== wanted);
  });
  t.strictSame(wrong, []);
});

t.test('a text with plural forms in one language has the forms of each language', async (t) => {
  const formsOfLanguage = { en: english, de: german };
  for (const [tag, catalogue] of Object.entries(formsOfLanguage)) {
    const categories = [...new Intl.PluralRules(tag).resolvedOptions().pluralCategories].sort();
    for (const [key, entry] of Object.entries(catalogue)) {
      if (typeof entry !== 'string') t.strictSame(Object.keys(entry).sort(), categories, `${tag} ${key}`);
    }
  }
});

t.test('German texts say du to the reader, and have one word for a stream, a mail, a role and muting', async (t) => {
  const others =
    /\bSie\b|\bIhre?|Kanal|Kanäle|Brief|(?<!-)\bMail|Besitzende|Administrator|Moderator|\b[Ss]tumme?n?\b|[Ll]autsch/;
  const wrong = Object.entries({ ...german, ...refusalTexts }).filter(([, entry]) =>
    formsOf(entry).some((form) => others.test(form)),
  );
  t.strictSame(wrong, []);
});

t.test('no text is empty, begins or ends with a space, or has markup', async (t) => {
  for (const catalogue of [english, german]) {
    const wrong = Object.entries(catalogue).filter(([, entry]) =>
      formsOf(entry).some((form) => form === '' || form !== form.trim() || /<[a-z/]/i.test(form)),
    );
    t.strictSame(wrong, []);
  }
});

t.test('each shortcut and each group of shortcuts has a text', async (t) => {
  for (const id of Object.keys(SHORTCUTS)) t.ok(english[`shortcut.${id}`], id);
  for (const group of SHORTCUT_GROUPS) t.ok(english[`help.group.${group}`], group);
  const named = Object.keys(english).filter((key) => key.startsWith('shortcut.'));
  t.equal(named.length, Object.keys(SHORTCUTS).length, 'no text is left over');
});

t.test('a text is filled in, and its number chooses the plural form', async (t) => {
  t.equal(text('sidebar.unread', { n: 1200 }), '1,200 unread');
  t.equal(text('error.rate-limit', { n: 1 }), 'Too many tries. Wait 1 second.');
  t.equal(text('error.rate-limit', { n: 2 }), 'Too many tries. Wait 2 seconds.');
  t.equal(
    text('overviews.mark-read-of', { name: '{name} $& <b>' }),
    'Mark {name} $& <b> as read',
    'values are taken literally',
  );
  const bold = { bold: true };
  t.strictSame(translateToPieces('overviews.mark-read-of', { name: bold }), ['Mark ', bold, ' as read']);
});

t.test('texts of lazy views show their key until they are loaded', async (t) => {
  t.equal(text('help.title'), 'help.title');
  const loading = loadLaterTexts();
  await loadAndUseFirstKnownLanguage(['de']);
  await loading;
  t.equal(text('help.title'), 'Tastenkürzel', 'of the language that was chosen meanwhile');
  await loadAndUseFirstKnownLanguage(['en']);
  t.equal(text('help.title'), 'Keyboard shortcuts');
});

t.test('the first wanted language with a catalogue is taken, and its region decides on formats', async (t) => {
  await loadAndUseFirstKnownLanguage(['xx', 'de-AT', 'en']);
  t.equal(currentLanguage.value, 'de');
  t.equal(text('help.title'), 'Tastenkürzel');
  t.equal(text('sidebar.unread', { n: 12000 }), `${new Intl.NumberFormat('de-AT').format(12000)} ungelesen`);
  await loadAndUseFirstKnownLanguage(['xx']);
  t.equal(currentLanguage.value, 'en');
  t.equal(text('common.save'), 'Save');
});

t.test('frequent refusals are translated into German, others stay in English', async (t) => {
  const entries: readonly ErrorCatalogueEntry[] = Object.values(API_ERROR_CATALOGUE);
  const known = new Set(entries.flatMap(({ code = '', msg }) => [code, msg]));
  // The checks of parameters write this text; the catalogue has it as the value of VALIDATION_FAILED.
  known.add('{field} is too long (limit: {limit} characters)');
  t.strictSame(
    Object.keys(refusalTexts).filter((one) => !known.has(one)),
    [],
    'all are texts or codes of the API',
  );
  const wrong = new ApiFailure(400, 'BAD_REQUEST', 'Wrong password!', undefined, {});
  const gone = new ApiFailure(400, 'STREAM_DOES_NOT_EXIST', "Stream 'x' does not exist", undefined, {});
  const rare = new ApiFailure(400, 'BAD_REQUEST', 'Invalid filename', undefined, {});
  await loadLaterTexts();
  await loadAndUseFirstKnownLanguage(['de']);
  t.equal(formatFailureText(wrong), 'Das Passwort ist falsch.');
  t.equal(formatFailureText(gone), 'Diesen Stream gibt es nicht, oder du hast keinen Zugriff.');
  t.equal(formatFailureText(rare), 'Invalid filename');
  const tell = (of: string) => formatFailureText(new ApiFailure(400, 'BAD_REQUEST', of, undefined, {}));
  t.equal(tell("Stream name '$& {x}' is already taken."), 'Es gibt schon einen Stream mit dem Namen „$& {x}“.');
  t.equal(tell("Invalid stream name '\n'"), 'Ein Stream kann nicht „\n“ heißen.');
  t.equal(
    tell('content is too long (limit: 10000 characters)'),
    'Dieser Text ist zu lang. Er hat höchstens 10000 Zeichen.',
  );
  t.equal(
    tell('Uploaded file is larger than the allowed limit of 25 MiB'),
    'Diese Datei ist zu groß. Erlaubt sind 25 MiB.',
  );
  t.equal(tell('Stream name too long (limit: 60 characters)!'), 'Stream name too long (limit: 60 characters)!');
  t.strictSame(
    Object.entries(refusalTexts).flatMap(([key, of]) =>
      placeholdersOf(of).filter((name) => !placeholdersOf(key).includes(name)),
    ),
    [],
    'each value of a German text is one of the English text',
  );
  await loadAndUseFirstKnownLanguage(['en']);
  t.equal(formatFailureText(wrong), 'Wrong password!');
});

t.test('days are named from the reader’s calendar', async (t) => {
  const now = new Date(2026, 10, 23, 0, 30).getTime();
  t.equal(formatRelativeDay(now, now), 'Today');
  t.equal(formatRelativeDay(new Date(2026, 10, 22, 23, 59).getTime(), now), 'Yesterday');
  t.equal(formatRelativeDay(new Date(2026, 10, 19).getTime(), now), 'Thursday');
  t.equal(formatRelativeDay(new Date(2026, 10, 16).getTime(), now), 'November 16');
  t.equal(formatRelativeDay(new Date(2025, 10, 16).getTime(), now), 'November 16, 2025');
});

t.test('a row of a list has a short time: of today the hour, then the day', async (t) => {
  const now = new Date(2026, 10, 23, 12).getTime();
  t.match(formatShortTime(new Date(2026, 10, 23, 0, 5).getTime(), now), /^12:05\sAM$/);
  t.equal(formatShortTime(new Date(2026, 10, 22, 23, 59).getTime(), now), 'Yesterday');
  t.equal(formatShortTime(new Date(2026, 10, 17).getTime(), now), 'Tue');
  t.equal(formatShortTime(new Date(2026, 10, 16).getTime(), now), 'Nov 16');
  t.equal(formatShortTime(new Date(2025, 10, 16).getTime(), now), 'Nov 16, 2025');
});

t.test('times follow the setting, or the language’s habit', async (t) => {
  const at = new Date(2026, 10, 23, 14, 5).getTime();
  uses24HourClock.value = true;
  t.equal(formatTimeOfDay(at), '14:05');
  uses24HourClock.value = false;
  t.match(formatTimeOfDay(at), /^2:05\sPM$/);
  uses24HourClock.value = undefined;
  t.match(formatTimeOfDay(at), /^2:05\sPM$/);
});

t.test('times are those of the zone that was chosen, whatever zone the browser has', async (t) => {
  t.teardown(() => {
    setDisplayZoneByName('');
    uses24HourClock.value = undefined;
  });
  const at = Date.UTC(2026, 11, 31, 23, 30);
  const later = Date.UTC(2027, 0, 1, 10, 30);
  uses24HourClock.value = true;
  setDisplayZoneByName('Pacific/Kiritimati');
  t.equal(formatTimeOfDay(at), '13:30');
  t.equal(formatShortTime(at, later), 'Yesterday', 'the first of January at 13:30; it is the second');
  t.match(formatFullDateTime(at), /^Friday, January 1, 2027 at 13:30$/);
  setDisplayZoneByName('Pacific/Honolulu');
  t.equal(formatTimeOfDay(at), '13:30');
  t.equal(formatRelativeDay(at, later), 'Yesterday');
  t.equal(formatShortTime(at, Date.UTC(2027, 0, 20)), 'Dec 31, 2026');
  t.match(formatFullDateTime(at), /^Thursday, December 31, 2026 at 13:30$/);
  const local = new Date(at);
  for (const zone of ['', 'Nowhere/At_All']) {
    setDisplayZoneByName(zone);
    t.equal(
      formatTimeOfDay(at),
      `${String(local.getHours()).padStart(2, '0')}:${String(local.getMinutes()).padStart(2, '0')}`,
    );
  }
});

t.test('the hours around noon and midnight are those of a clock, in every language', async (t) => {
  t.teardown(async () => {
    uses24HourClock.value = undefined;
    await loadAndUseFirstKnownLanguage(['en']);
  });
  const [midnight, noon] = [Date.UTC(2026, 10, 23, 0, 30), Date.UTC(2026, 10, 23, 12, 30)];
  for (const language of ['en-US', 'en-GB', 'de']) {
    await loadAndUseFirstKnownLanguage([language]);
    for (const [is24Hour, early, late] of [
      [false, /^12:30.am$/i, /^12:30.pm$/i],
      [true, /^0?0:30$/, /^12:30$/],
    ] as const) {
      uses24HourClock.value = is24Hour;
      t.match(formatTimeInZone(midnight, 'UTC'), early, language);
      t.match(formatTimeInZone(noon, 'UTC'), late, language);
    }
  }
});

t.test('a day without a time is the same in every time zone', async (t) => {
  t.teardown(() => setDisplayZoneByName(''));
  for (const zone of ['', 'Pacific/Kiritimati', 'Pacific/Honolulu', 'Pacific/Pago_Pago']) {
    setDisplayZoneByName(zone);
    t.equal(formatCalendarDay('1970-01-01'), 'January 1, 1970', zone);
  }
  t.equal(formatCalendarDay('yesterday'), 'yesterday');
});

t.test('times of English are those of Intl, without a format being made', async (t) => {
  const intl = new Intl.DateTimeFormat('en', { hour: 'numeric', minute: '2-digit', hour12: true });
  const at = (hour: number, minute: number) => new Date(2026, 10, 23, hour, minute).getTime();
  const spaced = (text: string) => text.replace(/\s/, ' ');
  const { DateTimeFormat } = Intl;
  let made = 0;
  Intl.DateTimeFormat = class extends DateTimeFormat {
    constructor(...args: ConstructorParameters<typeof DateTimeFormat>) {
      super(...args);
      made++;
    }
  } as typeof DateTimeFormat;
  t.teardown(() => {
    Intl.DateTimeFormat = DateTimeFormat;
    uses24HourClock.value = undefined;
  });
  for (let hour = 0; hour < 24; hour++) {
    for (const minute of [0, 9, 10, 59]) {
      const ms = at(hour, minute);
      uses24HourClock.value = false;
      t.equal(spaced(formatTimeOfDay(ms)), spaced(intl.format(ms)));
      uses24HourClock.value = true;
      const digits = [hour, minute].map((n) => String(n).padStart(2, '0'));
      t.equal(formatTimeOfDay(ms), digits.join(':'));
    }
  }
  t.equal(made, 0);
  await loadAndUseFirstKnownLanguage(['de']);
  t.equal(formatTimeOfDay(at(14, 5)), '14:05');
  t.equal(made, 1, 'other languages are written by the browser');
  await loadAndUseFirstKnownLanguage(['en']);
});

t.test('distances, sizes, lists and order of names', async (t) => {
  const now = new Date(2026, 10, 23, 12).getTime();
  t.equal(formatRelativeTime(now - 20_000, now), 'just now');
  t.equal(formatRelativeTime(now - 5 * 60_000, now), '5 minutes ago');
  t.equal(formatRelativeTime(now - 3 * 3_600_000, now), '3 hours ago');
  t.equal(formatRelativeTime(now - 24 * 3_600_000, now), 'yesterday');
  t.equal(formatByteSize(900), '900 B');
  t.equal(formatByteSize(1.44 * 1024 * 1024), '1.4 MB');
  t.equal(formatByteSize(25 * 1024 * 1024), '25 MB');
  t.equal(formatNameList(['A', 'B', 'C']), 'A, B, and C');
  t.strictSame(['team 10', 'Émile', 'team 9', 'emil'].sort(compareNames), ['emil', 'Émile', 'team 9', 'team 10']);
});
