import t from 'tap';
import { type TSchema, Type } from 'typebox';
import { parseJsonText } from '#base';
import { makeSchemaValidator } from '#model/schema';

/** Message, or value when it passes. */
function check(schema: TSchema, text: string): unknown {
  const json = parseJsonText(text);
  if (!json) return 'not JSON';
  try {
    return { ok: makeSchemaValidator(schema).validateJson(json, 'X') };
  } catch (error) {
    return (error as Error).message;
  }
}

const Color = Type.String({ check: 'hexColor' });
const Subscriptions = Type.Array(
  Type.Object(
    { name: Type.String(), color: Type.Optional(Color), description: Type.Optional(Type.String({ maxLength: 4 })) },
    { additionalProperties: false },
  ),
);
const Capabilities = Type.Object({ known: Type.Optional(Type.Boolean()) }, { additionalProperties: Type.Boolean() });
const Ints = Type.Array(Type.Integer());
const Operand = Type.Union([Type.String(), Ints], { check: 'stringOrIntList' });

t.test('each check refuses with its message of conventions.md', async (t) => {
  const table: [schema: TSchema, text: string, message: string][] = [
    [Type.String(), '1', 'X is not a string'],
    [Type.String(), 'null', 'X is not a string'],
    [Type.String({ check: 'nonBlank' }), '" \\t"', 'X cannot be blank.'],
    [Type.String({ check: 'nonBlank' }), '3', 'X is not a string'],
    [Type.Union([Type.Literal('a'), Type.Literal('b')]), '"c"', 'Invalid X'],
    [Type.Union([Type.Literal('a'), Type.Literal('b')]), '1', 'X is not a string'],
    [Type.Union([Type.Literal(1), Type.Literal(2)]), '3', 'Invalid X'],
    [Type.Union([Type.Literal(1), Type.Literal(2)]), '"1"', 'X is not an integer'],
    [Type.Enum(['a', 'b']), '"c"', 'Invalid X'],
    [Type.String({ maxLength: 3 }), '"abcd"', 'X is too long (limit: 3 characters)'],
    [Type.String({ maxLength: 3 }), '"😀😀😀😀"', 'X is too long (limit: 3 characters)'],
    [Type.String({ minLength: 4, maxLength: 4 }), '"abc"', 'X has incorrect length 3; should be 4'],
    [Type.Integer(), '"5"', 'X is not an integer'],
    [Type.Integer(), '5.0', 'X is not an integer'],
    [Type.Integer(), '5e0', 'X is not an integer'],
    [Type.Integer(), '5E+2', 'X is not an integer'],
    [Type.Integer(), 'null', 'X is not an integer'],
    [Type.Integer(), '[1]', 'X is not an integer'],
    [Type.Integer(), '9007199254740993', 'X is too large'],
    [Type.Integer(), '-99999999999999999999', 'X is too small'],
    [Type.Integer({ minimum: 1 }), '0', 'X is too small'],
    [Type.Integer({ maximum: 3 }), '4', 'X is too large'],
    [Type.Number(), '"1.5"', 'X is not a float'],
    [Type.Number(), 'true', 'X is not a float'],
    [Type.Number(), '1e999', 'X is not a float'],
    [Type.Boolean(), '1', 'X is not a boolean'],
    [Type.Boolean(), '"true"', 'X is not a boolean'],
    [Color, '"#12"', 'X is not a valid hex color code'],
    [Color, '"#1234567"', 'X is not a valid hex color code'],
    [Ints, '{}', 'X is not a list'],
    [Ints, '[1,"2"]', 'X[1] is not an integer'],
    [Ints, '[1,2.0]', 'X[1] is not an integer'],
    [Type.Array(Type.String(), { minItems: 2, maxItems: 2 }), '["a"]', 'X should have exactly 2 items'],
    [
      Type.Array(Type.Array(Type.String(), { minItems: 2, maxItems: 2 })),
      '[["a"]]',
      'X[0] should have exactly 2 items',
    ],
    [Type.Tuple([Type.String(), Type.String()]), '["a","b","c"]', 'X should have exactly 2 items'],
    [Type.Array(Type.Array(Type.String())), '[["a"],[1]]', 'X[1][0] is not a string'],
    [Subscriptions, '[]x', 'not JSON'],
    [Subscriptions, '[[]]', 'X[0] is not a dict'],
    [Subscriptions, '[1.5]', 'X[0] is not a dict'],
    [Subscriptions, '[{}]', 'name key is missing from X[0]'],
    [Subscriptions, '[{"name":1}]', 'X[0]["name"] is not a string'],
    [Subscriptions, '[{"name":"a","color":"red"}]', 'X[0]["color"] is not a valid hex color code'],
    [Subscriptions, '[{"name":"a","description":"12345"}]', 'X[0]["description"] is too long (limit: 4 characters)'],
    [Subscriptions, '[{"name":"a","x":1,"y":2}]', 'Unexpected arguments: x, y'],
    [Subscriptions, '[{"name":"a","__proto__":1}]', 'Unexpected arguments: __proto__'],
    [Capabilities, '{"known":1}', 'X["known"] is not a boolean'],
    [Capabilities, '{"other":1}', 'X contains a value that is not a boolean'],
    [Type.Record(Type.String(), Type.String()), '{"a\\nb":1}', 'X contains a value that is not a string'],
    [Type.Union([Type.Array(Type.String()), Ints]), '[1,"a"]', 'X is not an allowed_type'],
    [Type.Union([Type.String(), Type.Boolean()]), '1', 'X is not an allowed_type'],
    [Type.Union([Type.String(), Type.Integer()]), '1.5', 'X is not a string or integer'],
    [Operand, '1', 'X is not a string or an integer list'],
    [Operand, '["a"]', 'X[0] is not an integer'],
    [Type.Union([Type.Integer(), Type.Null()]), '"a"', 'X is not an integer'],
    [Type.String({ check: 'date' }), '"2023-02-29"', 'X is not a date'],
    [Type.String({ check: 'date' }), '"2023-2-3"', 'X is not a date'],
    [Type.String({ check: 'url' }), '"javascript:alert(1)"', 'X is not a URL'],
    [Type.String({ check: 'url' }), '"http://host/x"', 'X is not a URL'],
    [Type.String({ check: 'timezone' }), '"Mars/Olympus"', 'X is not a recognized time zone'],
    [Type.String({ check: 'timezone' }), '"+01:00"', 'X is not a recognized time zone'],
    [Type.String({ check: 'email' }), '"nobody"', 'Enter a valid email address.'],
  ];
  for (const [schema, text, message] of table) t.equal(check(schema, text), message, `${text} ${message}`);
});

t.test('a valid value is returned as the declared type', async (t) => {
  const table: [schema: TSchema, text: string, value: unknown][] = [
    [Type.Integer(), 'true', 1],
    [Type.Integer(), ' 7 ', 7],
    [Ints, '[true,false,3]', [1, 0, 3]],
    [Type.Union([Type.Literal(1), Type.Literal(2)]), 'true', 1],
    [Type.Union([Type.Integer(), Type.Boolean()]), 'true', true],
    [Type.Union([Type.String(), Type.Integer()]), 'true', 1],
    [Type.Union([Type.Integer(), Type.Null()]), 'null', null],
    [Type.Number(), '5.50', 5.5],
    [Type.Number(), '5', 5],
    [Type.Unknown(), '{"a":[1.5,2]}', { a: [1.5, 2] }],
    [Type.String({ maxLength: 3 }), '"😀😀😀"', '😀😀😀'],
    [Type.String({ trim: true, check: 'nonBlank' }), '" a "', 'a'],
    [Subscriptions, '[{"name":"a","color":"#abc"}]', [{ name: 'a', color: '#abc' }]],
    [Capabilities, '{"known":true,"x":false}', { known: true, x: false }],
    [Type.Object({ a: Type.Integer() }), '{"a":1,"a":2,"b":3}', { a: 2, b: 3 }],
    [Operand, '[true]', [1]],
    [Type.Union([Type.Array(Type.String()), Ints]), '[true,2]', [1, 2]],
    [Type.String({ check: 'date' }), '"2024-02-29"', '2024-02-29'],
    [Type.String({ check: 'url' }), '"https://example.com/a?b"', 'https://example.com/a?b'],
    [Type.String({ check: 'url' }), '"http://localhost:9991"', 'http://localhost:9991'],
    [Type.String({ check: 'timezone' }), '"Europe/Berlin"', 'Europe/Berlin'],
    [Type.String({ check: 'email' }), '"a.b+c@example.com"', 'a.b+c@example.com'],
  ];
  for (const [schema, text, value] of table) t.same(check(schema, text), { ok: value }, text);
});

t.test('lone surrogates become U+FFFD', async (t) => {
  t.same(check(Type.String(), '"a\\ud800b"'), { ok: 'a\ufffdb' });
  t.same(check(Type.String(), '"\\ud83d\\ude00"'), { ok: '😀' });
  t.same(check(Type.Unknown(), '{"a\\udc00":"b"}'), { ok: { 'a\ufffd': 'b' } });
});

t.test('a key __proto__ of an open dict is refused, at any level and however it is written', async (t) => {
  const texts = Type.Record(Type.String(), Type.String());
  const refusal = 'X contains an invalid key: __proto__';
  t.equal(check(texts, '{"a":"b","__proto__":"c"}'), refusal);
  t.equal(check(texts, '{"\\u005f_proto__":"c"}'), refusal);
  t.equal(check(Type.Unknown(), '[{"a":{"__proto__":{"x":1}}},1.5]'), refusal);
  t.equal(check(texts, '{"__proto__":1}'), 'X contains a value that is not a string');
  t.same(check(texts, '{"a":"__proto__","constructor":"c"}'), { ok: { a: '__proto__', constructor: 'c' } });
});

t.test('deeply nested text is no JSON, however long', async (t) => {
  for (const n of [65, 1_000_000]) {
    t.equal(check(Type.Unknown(), `${'['.repeat(n)}${']'.repeat(n)}`), 'not JSON');
    t.equal(check(Type.Unknown(), '{"a":'.repeat(n)), 'not JSON');
  }
  t.same(check(Type.Unknown(), `"${'['.repeat(100)}"`), { ok: '['.repeat(100) });
  t.same(check(Type.Unknown(), '["\\"[[", 1.5, "\\\\", 2e1]'), { ok: ['"[[', 1.5, '\\', 20] });
});

t.test('almost-JSON stays refused when it has numbers with fractions', async (t) => {
  for (const text of ['01.5', '1.', '.5', '+1.5', '1.5.2', '{1.5:2}', '[1.5', '"1.5', '1.e5', 'NaN', 'Infinity', '']) {
    t.equal(check(Type.Unknown(), text), 'not JSON', text);
  }
});

t.test('a schema with an unknown keyword or check is refused at start', async (t) => {
  t.throws(() => makeSchemaValidator(Type.String({ check: 'colour' })), /unknown check/);
  t.throws(() => makeSchemaValidator(Type.Array(Type.String({ format: 'date' }))), /no validator message/);
});

t.test('the host of a URL ends in a top-level domain, or is an address or localhost', async (t) => {
  const url = Type.String({ check: 'url' });
  const fine = [
    'https://py.example.com/?c=',
    'http://EXAMPLE.museum',
    'ftp://a.xn--p1ai.:21/x',
    'https://b\u00fccher.d\u00e9',
    'http://user:word@a.io#x',
    'http://localhost:9991/',
    'http://127.0.0.1',
    'http://[::1]:80/x',
  ];
  for (const one of fine) t.same(check(url, JSON.stringify(one)), { ok: one }, one);
  const wrong = [
    'https://a.b',
    'https://example.c0m',
    'https://example',
    'https://-a.com',
    'https://a-.com',
    'https://a..com',
    'http://1.2.3.400',
    'http://[::g]',
    'http://a.com:port',
    'http://a b.com',
    `http://${'a.'.repeat(130)}com`,
    'gopher://a.com',
  ];
  for (const one of wrong) t.equal(check(url, JSON.stringify(one)), 'X is not a URL', one);
});

t.test('text that is dear to parse is refused before it is parsed', async (t) => {
  const digits = '1'.repeat(1_000);
  t.strictSame(check(Ints, `[${digits}]`), 'X[0] is too large');
  t.strictSame(check(Ints, `[${digits}1]`), 'not JSON');
  t.strictSame(check(Ints, `[-0.${digits}]`), 'not JSON');
  const blanks = ' \t\r\n'.repeat(262_144);
  t.strictSame(check(Ints, `[${blanks}3]`), { ok: [3] });
  t.strictSame(check(Ints, `[${blanks} 3]`), 'not JSON');
  const text = ' '.repeat(1_048_577);
  t.strictSame(check(Type.String(), `"${text}"`), { ok: text }, 'blanks inside of a string are text');
});
