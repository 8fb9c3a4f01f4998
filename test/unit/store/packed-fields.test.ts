/** Fields are found in MessagePack bytes, among values of every type and size. */
import fc from 'fast-check';
import t from 'tap';
import type { Json } from '#base';
import {
  findPackedTextStart,
  PackedFieldFinder,
  packJsonToBuffer,
  readPackedBoolean,
  readPackedListLength,
  readPackedNumber,
  skipPackedValue,
  unpackJson,
} from '#ports/store';

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const { value: anyValue } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string(),
    fc.integer(),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true }),
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array({ maxLength: 300 }),
    fc.array(tie('value'), { maxLength: 20 }) as fc.Arbitrary<Json>,
    fc.dictionary(fc.string({ minLength: 1 }), tie('value'), { maxKeys: 20 }) as fc.Arbitrary<Json>,
  ),
}));

t.test('each value is skipped as a whole', async (t) => {
  const large: Json[] = ['x'.repeat(70_000), new Uint8Array(70_000), Array.from({ length: 70_000 }, () => 1)];
  const sizes = [31, 32, 255, 256].map((length) => 'x'.repeat(length));
  for (const one of [...large, ...sizes]) {
    const bytes = packJsonToBuffer(one);
    t.equal(skipPackedValue(viewOf(bytes), 0), bytes.length);
  }
  fc.assert(
    fc.property(anyValue, (value) => {
      const bytes = packJsonToBuffer(value);
      t.equal(skipPackedValue(viewOf(Buffer.concat([bytes, bytes])), 0), bytes.length);
    }),
  );
  t.throws(() => skipPackedValue(viewOf(Uint8Array.of(0xc1)), 0), RangeError);
});

t.test('fields of a map are found by name', async (t) => {
  const names = ['a', 'bc', 'topic', 'files'];
  const finder = new PackedFieldFinder(names);
  const keys = fc.oneof(fc.constantFrom(...names), fc.string({ minLength: 1, maxLength: 40 }));
  fc.assert(
    fc.property(fc.dictionary(keys, anyValue, { maxKeys: 30 }), (map) => {
      const bytes = packJsonToBuffer(map as Json);
      const view = viewOf(bytes);
      finder.findFieldsOfMap(view, 0);
      const decoded = unpackJson(bytes) as Record<string, Json>;
      for (const [i, name] of names.entries()) {
        const at = finder.positions[i]!;
        const found = at < 0 ? undefined : unpackJson(bytes.subarray(at, skipPackedValue(view, at)));
        t.strictSame(found, decoded[name]);
      }
    }),
  );
  finder.findFieldsOfMap(viewOf(packJsonToBuffer(['topic'])), 0);
  t.strictSame([...finder.positions], [-1, -1, -1, -1], 'a list has no fields');
});

t.test('a value is read where it has the wanted type', async (t) => {
  const read = (value: Json) => {
    const bytes = packJsonToBuffer(value);
    const view = viewOf(bytes);
    const start = findPackedTextStart(view, 0);
    return [
      readPackedNumber(view, 0),
      readPackedBoolean(view, 0),
      readPackedListLength(view, 0),
      start === undefined ? undefined : bytes.subarray(start).toString(),
    ];
  };
  for (const value of [0, 127, 128, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 40, 0.5])
    t.strictSame(read(value), [value, undefined, undefined, undefined]);
  for (const value of [true, false]) t.strictSame(read(value), [undefined, value, undefined, undefined]);
  for (const length of [0, 15, 16, 70_000])
    t.strictSame(read(Array.from({ length }, () => 1)), [undefined, undefined, length, undefined]);
  for (const length of [0, 31, 32, 300, 70_000])
    t.strictSame(read('x'.repeat(length)), [undefined, undefined, undefined, 'x'.repeat(length)]);
});
