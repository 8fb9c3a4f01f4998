/** Numbers that an import adds to names that are taken. */
import t from 'tap';
import { DistinctNames } from '../../../src/app/exchange/format/distinct-names.js';

/** Takes all names. @returns the names as taken, and how many numbers were tried */
function takeAll(all: readonly string[], maxCharacters: number): { readonly names: string[]; readonly tries: number } {
  const distinct = new DistinctNames((name) => name.toLowerCase(), ['taken']);
  let tries = 0;
  const names = all.map((name) =>
    distinct.take(name.slice(0, maxCharacters), (n) => {
      tries++;
      const number = ` (${n})`;
      return `${name.slice(0, maxCharacters - number.length)}${number}`;
    }),
  );
  return { names, tries };
}

t.test('a name that is taken gets the first free number', async (test) => {
  const { names } = takeAll(['taken', 'crew', 'Crew', 'crew (3)', 'crew', 'crew (2)'], 20);
  test.strictSame(names, ['taken (2)', 'crew', 'Crew (2)', 'crew (3)', 'crew (4)', 'crew (2) (2)']);
});

t.test('thousands of equal names cost a few tries each', async (test) => {
  const equal = takeAll(Array<string>(8_000).fill('x'.repeat(200)), 100);
  test.equal(new Set(equal.names).size, 8_000);
  test.ok(equal.tries < 3 * 8_000);
  // The names differ only in characters that the number replaces.
  const twice = takeAll(
    Array.from({ length: 8_000 }, (_, i) => `${'x'.repeat(96)}${1_000 + Math.floor(i / 2)}`),
    100,
  );
  test.equal(new Set(twice.names.map((name) => name.toLowerCase())).size, 8_000);
  test.ok(twice.tries < 3 * 8_000);
});
