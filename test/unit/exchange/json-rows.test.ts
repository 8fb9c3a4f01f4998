/** Rows of an export's JSON file: found and parsed in groups, equal to those of the whole file, whatever its layout. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { ExportFolder } from '../../../src/app/exchange/format/folder.js';
import {
  type JsonRowOrFieldValue,
  type JsonRowReadOptions,
  readJsonRowBatches,
} from '../../../src/app/exchange/format/json-rows.js';
import { rounds } from '../../support/rounds.js';

async function rowsOf(text: string, options?: JsonRowReadOptions): Promise<JsonRowOrFieldValue[]> {
  const file = join(t.testdir(), 'rows.json');
  writeFileSync(file, text);
  const found: JsonRowOrFieldValue[] = [];
  for await (const batch of readJsonRowBatches(file, 'rows.json', options)) found.push(...batch);
  return found;
}

/** The rows of a file whose table `n` has numbers in the columns `a` and `b`. */
async function numbersOf(text: string): Promise<{ numbers: number[][]; rows: JsonRowOrFieldValue[] }> {
  const numbers: number[][] = [];
  const takeNumbers = (of: Float64Array): unknown => numbers.push([...of]);
  const rows = await rowsOf(text, { numberTable: { name: 'n', columns: ['a', 'b'], takeNumbers } });
  return { numbers, rows };
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
    { numRuns: rounds(40, 100) },
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
  const second = await rowsOf(text, { skips: (table) => table === 'first' });
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

t.test('strings that end, or have an escape, where a chunk of the file ends are read', async (test) => {
  const chunk = 1_048_576;
  for (const before of Array.from({ length: 12 }, (_, i) => chunk - 6 - i)) {
    const head = '{"a": [{"t": "';
    const rows = [{ t: `${'x'.repeat(before - head.length)}\\"\\{` }, { t: 'ü' }];
    const found = await rowsOf(`{"a": ${JSON.stringify(rows)}}`);
    test.strictSame(
      found.map(({ row }) => row),
      rows,
    );
  }
});

t.test('rows of numbers give the same values as their JSON, whatever their layout', async (test) => {
  const number = fc.oneof(fc.nat(), fc.nat(Number.MAX_SAFE_INTEGER), fc.constantFrom(0, 10, 999_999_999_999_999));
  const row = fc.oneof(
    fc.record({ id: number, b: number, a: number }, { noNullPrototype: true }),
    fc.record({ a: fc.jsonValue(), b: fc.jsonValue() }, { requiredKeys: [], noNullPrototype: true }),
    fc.constantFrom<object>({ a: -1, b: 2 }, { a: 1.5, b: 2 }, { a: 1e30, b: 1 }, { a: 1 }, {}, { aa: 1, b: 2, ab: 3 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 10 }), fc.nat(3), async (list, indent) => {
      const { numbers, rows } = await numbersOf(JSON.stringify({ m: list, n: list }, undefined, indent));
      const parsed = JSON.parse(JSON.stringify(list)) as { a?: unknown; b?: unknown }[];
      const isNumber = (value: unknown): boolean =>
        Number.isInteger(value) && !(Number(value) < 0) && Number(value) < 1e15;
      const isOfNumbers = (one: object): boolean => Object.values(one).every(isNumber) && 'a' in one && 'b' in one;
      const rowsOfTable = (name: string) => rows.filter(({ table }) => table === name).map((found) => found.row);
      test.strictSame(rowsOfTable('m'), parsed);
      test.strictSame(
        rowsOfTable('n'),
        parsed.filter((one) => !isOfNumbers(one)),
      );
      test.strictSame(
        numbers,
        parsed.filter(isOfNumbers).map(({ a, b }) => [a, b]),
      );
    }),
    { numRuns: rounds(40, 100) },
  );
  const plain = await numbersOf('{"n": [{"a": 1, "b": 2}, { "id":7,"b":3 , "a" : 4}\n, {"a": 1, "b": "2"}]}');
  test.strictSame(
    plain.numbers,
    [
      [1, 2],
      [4, 3],
    ],
    'rows of numbers make no objects',
  );
  test.strictSame(
    plain.rows.map(({ row: other }) => other),
    [{ a: 1, b: '2' }],
  );
  await test.rejects(numbersOf('{"n": [{"a": 01, "b": 2}]}'), { message: /is no JSON/ });
  await test.rejects(numbersOf('{"n": [{"a": 1, "b": 2}'), { message: /truncated/ });
  await test.rejects(numbersOf('{"n": [{"a": 1, "b": 2,}]}'), { message: /is no JSON/ });
});

t.test('rows of numbers that cross chunks of the file are all read', async (test) => {
  const list = Array.from({ length: 60_000 }, (_, a) => ({ id: a, a, b: a % 7 }));
  const { numbers, rows } = await numbersOf(JSON.stringify({ n: list }));
  const all = [...numbers, ...rows.map(({ row }) => [row!.a, row!.b] as number[])].sort((x, y) => x[0]! - y[0]!);
  test.strictSame(
    all,
    list.map(({ a, b }) => [a, b]),
  );
  test.ok(rows.length < 5, 'only rows that two chunks share are parsed as JSON');
});

t.test('reading ends behind the last table, wherever it is', async (test) => {
  const lastTable = 'b';
  const idsOf = async (text: string) => (await rowsOf(text, { lastTable })).map(({ table, row }) => [table, row?.id]);
  const [rows, more] = [[{ id: 1 }, { id: 2 }], [{ id: 3 }]];
  const expected = [
    ['a', 3],
    ['b', 1],
    ['b', 2],
  ];
  test.strictSame(await idsOf(JSON.stringify({ a: more, b: rows, c: more })), expected);
  test.strictSame(
    await idsOf('{"a": [{"id": 3}], "b": [{"id": 1}, {"id": 2}], "c": [{"id'),
    expected,
    'no more is read',
  );
  test.strictSame(await idsOf(JSON.stringify({ b: [], a: more })), [], 'an empty table ends, too');
  await test.rejects(idsOf('{"a": [], "c": [{"id'), { message: /truncated/ });
  await test.rejects(idsOf('{"b": [{"id": 1}'), { message: /truncated/ });
});

t.test('an error about the record of a file names the list and the position of the record', async (test) => {
  const folder = test.testdir();
  mkdirSync(join(folder, 'avatars'));
  const records = [{ user_profile_id: 7 }, { user_profile_id: null }];
  writeFileSync(join(folder, 'avatars/records.json'), JSON.stringify(records));
  const [, second] = await new ExportFolder(folder).readFileRecords('avatars');
  test.throws(() => second!.requireNonNegativeInteger('user_profile_id'), /^avatars\/records\.json, row 2: /);
});
