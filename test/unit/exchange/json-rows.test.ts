/** Rows of an export's JSON file: found and parsed in groups, equal to those of the whole file, whatever its layout. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { type JsonRowOrFieldValue, readJsonRowBatches } from '../../../src/app/exchange/format/json-rows.js';

async function rowsOf(text: string, skips?: (table: string) => boolean): Promise<JsonRowOrFieldValue[]> {
  const file = join(t.testdir(), 'rows.json');
  writeFileSync(file, text);
  const found: JsonRowOrFieldValue[] = [];
  for await (const batch of readJsonRowBatches(file, 'rows.json', skips)) found.push(...batch);
  return found;
}

const rows = fc.array(fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<unknown>), { maxLength: 8 });
const tables = fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), rows, { maxKeys: 5, noNullPrototype: true });

t.test('the rows of any tables are those of the whole file', async (test) => {
  await fc.assert(
    fc.asyncProperty(tables, fc.nat(3), async (all, indent) => {
      const expected = Object.entries(all).flatMap(([table, list]) => list.map((row) => ({ table, row })));
      const found = await rowsOf(JSON.stringify(all, undefined, indent));
      test.strictSame(JSON.parse(JSON.stringify(found)), JSON.parse(JSON.stringify(expected)));
    }),
    { numRuns: 100 },
  );
});

t.test('rows that cross chunks of the file come once, in order', async (test) => {
  const list = Array.from({ length: 30_000 }, (_, id) => ({ id, text: `ü"\\{[${'x'.repeat(id % 200)}` }));
  const text = JSON.stringify({ first: list, flag: true, second: list.slice(0, 10) });
  const found = await rowsOf(text);
  test.strictSame(
    found.map(({ table, row, value }) => [table, row?.id ?? value]),
    [...list.map(({ id }) => ['first', id]), ['flag', true], ...list.slice(0, 10).map(({ id }) => ['second', id])],
  );
  test.strictSame(
    found.slice(0, list.length).map(({ row }) => row),
    list,
  );
  const second = await rowsOf(text, (table) => table === 'first');
  test.strictSame(
    second.map(({ table }) => table),
    ['flag', ...list.slice(0, 10).map(() => 'second')],
    'a skipped table has no rows',
  );
});

t.test('a damaged row is named, and rows before a missing comma are read', async (test) => {
  await test.rejects(rowsOf('{"a": [{"id": 1}, {"id": 2, "x": tru}, {"id": 3}]}'), {
    message: /rows\.json has a part that is no JSON: "\{\\"id\\": 2/,
  });
  await test.rejects(rowsOf('{"a": [{"id": [1}], {"id": 2}]}'), { message: /is no JSON/ });
  await test.rejects(rowsOf('{"a": [{"id": 1}, {"id": 2}'), { message: /truncated/ });
  const lenient = await rowsOf('{"a": [{"id": 1} {"id": 2},, {"id": 3}]}');
  test.strictSame(
    lenient.map(({ row }) => row?.id),
    [1, 2, 3],
    'commas are not counted',
  );
});
