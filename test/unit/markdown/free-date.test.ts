import fc from 'fast-check';
import t from 'tap';
import { parseHumanDate } from '../../../src/domain/markdown/timestamp.js';
import { rounds } from '../../support/rounds.js';

const NOW = Date.UTC(2023, 4, 28, 12);
const read = (text: string): string | null => {
  const moment = parseHumanDate(text, NOW);
  return moment === null ? null : new Date(moment).toISOString().replace('.000', '');
};

t.test('dates in common notations are read', async (t) => {
  for (const [text, moment] of [
    ['1496701800', '2017-06-05T22:30:00Z'],
    ['1496701800.7', '2017-06-05T22:30:00Z'],
    ['2017-06-05T22:30:00Z', '2017-06-05T22:30:00Z'],
    ['2017-06-05 22:30', '2017-06-05T22:30:00Z'],
    ['2017-06-05', '2017-06-05T00:00:00Z'],
    ['20170605', '2017-06-05T00:00:00Z'],
    ['20170605T223000Z', '2017-06-05T22:30:00Z'],
    ['2017-06-05T22:30:00.123456+02:00', '2017-06-05T20:30:00Z'],
    ['2017-06-05T22:30:00-0530', '2017-06-06T04:00:00Z'],
    ['Jun 5th 2017, 10:30PM', '2017-06-05T22:30:00Z'],
    ['Jun 5th 2017, 18:30:00 EDT', '2017-06-05T22:30:00Z'],
    ['June 5, 2017 10 pm', '2017-06-05T22:00:00Z'],
    ['Mon, 5 Jun 2017 22:30:00 +0000', '2017-06-05T22:30:00Z'],
    ['5 June 2017 at 12 a.m. UTC+2', '2017-06-04T22:00:00Z'],
    ['06/05/2017 22:30', '2017-06-05T22:30:00Z'],
    ['25/12/2017', '2017-12-25T00:00:00Z'],
    ['17:30 IST', '2023-05-28T12:00:00Z'],
    ['May 2', '2023-05-02T00:00:00Z'],
  ] as const) {
    t.equal(read(text), moment, text);
  }
});

t.test('text that is no date is refused', async (t) => {
  for (const text of [
    '',
    ' ',
    'bogus',
    '2017-13-01',
    '2017-02-30',
    '25:00',
    '13:61',
    '14 pm',
    'May June 2017',
    '99999999999999',
    'x 2017-06-05',
  ]) {
    t.equal(read(text), null, text);
  }
});

t.test('any text is a moment within four-digit years, or none', async () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'0123456789:-/+., TZapmJunMay'), maxLength: 40 }), (text) => {
      const moment = parseHumanDate(text, NOW);
      return moment === null || /^\d{4}-/.test(new Date(moment).toISOString());
    }),
    { numRuns: rounds(1_700, 5_000) },
  );
});
