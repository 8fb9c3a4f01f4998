import fc from 'fast-check';
import t from 'tap';
import { type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { ParameterDeclarations } from '#frontend/api';
import { ApiError } from '#model/errors';
import { parseMultipartForm } from '../../../src/frontend/http/form-multipart.js';
import {
  NO_FORM_FIELDS,
  parseUrlencodedBody,
  parseUrlencodedForm,
} from '../../../src/frontend/http/form-urlencoded.js';
import { RequestParameterReader } from '../../../src/frontend/http/parameters.js';
import { ANY_CODE_POINT } from '../../support/any-text.js';
import { rounds } from '../../support/rounds.js';
import { declare, refusal } from './support.js';

const json = (schema: TSchema, over: object = {}) =>
  ({ in: 'form', encoding: 'json', schema, required: false, ...over }) as const;
const reader = (parameters: ParameterDeclarations, path = '/x') =>
  new RequestParameterReader(declare({ path, parameters }));

/** Values, or the refusal. */
function read(made: RequestParameterReader, form: string, query = '', segments: readonly string[] = []): unknown {
  try {
    const { values, ignoredNames } = made.decodeAndCheckParameters(
      parseUrlencodedForm(form),
      parseUrlencodedForm(query),
      segments,
    );
    return ignoredNames ? { ...values, ignored: ignoredNames } : { ...values };
  } catch (error) {
    return (error as ApiError).toReply();
  }
}

t.test('the form overrides the query, and the last of several values counts', async (t) => {
  const made = reader({ a: { in: 'query', encoding: 'string', schema: Type.String(), required: false } });
  t.same(read(made, 'a=1', 'a=2'), { a: '1' });
  t.same(read(made, '', 'a=1&a=2'), { a: '2' });
  t.same(read(made, 'a=1&a='), { a: '' });
  t.same(read(made, ''), { a: undefined });
});

t.test('a missing required parameter is named; defaults are not checked', async (t) => {
  const made = reader({ a: json(Type.Integer(), { default: 'any' }), b: json(Type.Integer(), { required: true }) });
  t.same(read(made, ''), {
    code: 'REQUEST_VARIABLE_MISSING',
    status: 400,
    msg: "Missing 'b' argument",
    extra: { var_name: 'b' },
  });
  t.same(read(made, 'b=3'), { a: 'any', b: 3 });
});

t.test('the first failure in the order of declaration wins', async (t) => {
  const made = reader({ a: json(Type.Integer()), b: json(Type.Integer(), { required: true }) });
  t.match(read(made, 'a=x'), { msg: 'Argument "a" is not valid JSON.', code: 'BAD_REQUEST' });
  t.match(read(made, 'a=null'), { msg: 'a is not an integer' }, 'null is present');
  t.match(read(made, 'a='), { msg: 'Argument "a" is not valid JSON.' }, 'so is nothing');
});

t.test('a parameter under two of its names is refused', async (t) => {
  const topic = {
    in: 'form',
    encoding: 'string',
    schema: Type.String(),
    required: true,
    aliases: ['subject'],
  } as const;
  const made = reader({ topic });
  t.same(read(made, 'subject=x'), { topic: 'x' });
  t.match(read(made, 'subject=x', 'topic=y'), {
    code: 'REQUEST_CONFUSING_VAR',
    msg: "Can't decide between 'topic' and 'subject' arguments",
    extra: { var_name1: 'topic', var_name2: 'subject' },
  });
  t.match(read(made, ''), { msg: "Missing 'topic' argument" });
});

t.test('converted numbers are decimal text from 0 to 4294967295', async (t) => {
  const made = reader({ n: { in: 'query', encoding: 'uint', schema: Type.Integer(), required: true } });
  t.same(read(made, '', 'n=+12%20'), { n: 12 });
  t.same(read(made, '', 'n=4294967295'), { n: 4294967295 });
  for (const bad of ['-1', '4294967296', '1.0', 'abc', '', '0x10', '1e3', '9'.repeat(400)]) {
    t.match(read(made, '', `n=${bad}`), {
      code: 'REQUEST_VARIABLE_INVALID',
      msg: `Bad value for 'n': ${bad}`,
      extra: { var_name: 'n', bad_value: bad },
    });
  }
});

t.test('strings are taken as they are, quotes and all', async (t) => {
  const made = reader({ s: { in: 'form', encoding: 'string', schema: Type.String({ maxLength: 9 }), required: true } });
  t.same(read(made, 's=%22a%22+b'), { s: '"a" b' });
  t.same(read(made, 's=%00%F0%9F%98%80'), { s: '\0😀' });
  t.match(read(made, 's=0123456789'), { msg: 's is too long (limit: 9 characters)' });
});

t.test('unused parameters are reported, sorted, once; client, method and path parameters are not', async (t) => {
  const made = reader(
    { id: { in: 'path', encoding: 'uint', schema: Type.Integer(), required: true }, a: json(Type.Integer()) },
    '/x/{id}',
  );
  t.same(read(made, 'z=1&a=1&method=PATCH&client=x', 'b=2&z=3&client=y', ['7']), { id: 7, a: 1, ignored: ['b', 'z'] });
  t.same(read(made, 'id=9', '', ['7']), { id: 7, a: undefined, ignored: ['id'] }, 'the path does not consume a field');
  t.same(read(made, '', 'a=1', ['7']), { id: 7, a: 1 });
});

t.test('forms decode without ever failing', async (t) => {
  const fields = (text: string): unknown => [...parseUrlencodedForm(text)];
  t.same(fields('a=1&&b&=c&d=e=f'), [
    ['a', '1'],
    ['b', ''],
    ['', 'c'],
    ['d', 'e=f'],
  ]);
  t.same(fields('a=%zz%4&b=%ff%41'), [
    ['a', '%zz%4'],
    ['b', '\ufffdA'],
  ]);
  t.same([...parseUrlencodedBody(Buffer.from([0x61, 0x3d, 0xc3, 0xa4, 0xff]))], [['a', 'ä\ufffd']]);
  t.equal(parseUrlencodedForm('__proto__=1').get('__proto__'), '1');
  t.equal(await refusal(() => parseUrlencodedForm('a=1&'.repeat(1001))), 'MALFORMED_FORM');
  t.equal(await refusal(() => parseUrlencodedForm(`a=1${'&'.repeat(1001)}`)), 'MALFORMED_FORM', 'ampersands alone');
});

t.test('a part of a form without a file name is a field, whatever its media type', async (t) => {
  const types = ['application/octet-stream', 'text/plain', 'image/png'];
  const parts = types.map(
    (type, i) => `--B\r\nContent-Disposition: form-data; name="f${i}"\r\nContent-Type: ${type}\r\n\r\nä${i}\r\n`,
  );
  for (const keepFiles of [false, true]) {
    const body = Buffer.from(`${parts.join('')}--B--\r\n`);
    const { fields, files } = await parseMultipartForm(body, 'multipart/form-data; boundary=B', keepFiles);
    t.same([Object.fromEntries(fields), files], [{ f0: 'ä0', f1: 'ä1', f2: 'ä2' }, []]);
  }
});

t.test('multipart fields are read, files skipped, broken bodies refused', async (t) => {
  const part = (head: string, body: string): string =>
    `--B\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`;
  const type = 'multipart/form-data; boundary=B';
  const parse = (text: string, as = type, files = false) => parseMultipartForm(Buffer.from(text), as, files);
  const body = `${part('name="a"', 'ä\r\nb')}${part('name="f"; filename="x.txt"', 'data')}${part('name="a"', '2')}--B--\r\n`;
  const { fields, files } = await parse(body);
  t.same([[...fields], files], [[['a', '2']], []]);
  const kept = await parse(
    `${part('name="f"; filename="ä/../b c.txt"\r\nContent-Type: image/png', 'data')}${part('name="g"; filename="e"', '')}--B--\r\n`,
    type,
    true,
  );
  t.same(
    kept.files.map(({ name, type, bytes }) => [name, type, Buffer.from(bytes).toString()]),
    [
      ['b c.txt', 'image/png', 'data'],
      ['e', 'text/plain', ''],
    ],
  );
  for (const [text, as] of [
    [body.slice(0, 40), type],
    [body, 'multipart/form-data'],
    ['', type],
    [`${part('name="a"', 'x').repeat(1100)}--B--\r\n`, type],
  ] as const) {
    t.equal(await refusal(() => parse(text, as)), 'MALFORMED_FORM', `${as} ${text.length}`);
  }
});

const schemas: readonly TSchema[] = [
  Type.Integer(),
  Type.Boolean(),
  Type.Array(Type.Integer()),
  Type.Union([Type.String(), Type.Integer()]),
  Type.Union([Type.Integer(), Type.Null()]),
  Type.Array(Type.Object({ a: Type.String({ check: 'hexColor' }) }, { additionalProperties: false })),
  Type.Object({ a: Type.Optional(Type.Boolean()) }, { additionalProperties: Type.Boolean() }),
  Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.Integer())])),
  Type.Union([Type.Array(Type.String()), Type.Array(Type.Integer())]),
  Type.Unknown(),
];

t.test('any input gives a value of the declared type or a refusal', async () => {
  const nearJson = fc.oneof(
    fc.json({ maxDepth: 3 }),
    fc.string({ unit: ANY_CODE_POINT }),
    fc
      .array(fc.constantFrom('[', ']', '{', '}', '"a"', ':', ',', '1', '1.5', 'true', 'null', '\\', '"', 'e', '-'))
      .map((a) => a.join('')),
  );
  const readers = schemas.map((schema) => reader({ p: json(schema, { required: true }) }));
  fc.assert(
    fc.property(fc.nat(schemas.length - 1), nearJson, (i, text) => {
      try {
        const { values } = readers[i]!.decodeAndCheckParameters(new Map([['p', text]]), NO_FORM_FIELDS, []);
        JSON.stringify(values);
        return Value.Check(schemas[i]!, values.p);
      } catch (error) {
        return error instanceof ApiError;
      }
    }),
    { numRuns: rounds(1_000, 3_000) },
  );
});

t.test('JSON values are bounded before anything is built from them', async (t) => {
  const many = (n: number): string => `a=[${Array(n).fill('1.0').join()}]`;
  const floats = reader({ a: json(Type.Array(Type.Number())) });
  t.match(read(floats, many(19_999)), { a: { length: 19_999 } });
  t.match(read(floats, many(20_000)), { code: 'BAD_REQUEST', msg: 'a has too many items (limit: 20000)' });
  t.match(read(floats, 'a=[1.5,"x"]'), { msg: 'a[1] is not a float' }, 'others are what they were');
  const dicts = reader({ a: json(Type.Record(Type.String(), Type.Unknown()), { maxValues: 5 }) });
  t.same(read(dicts, 'a={"a":[1.5,{"b":2.5}]}'), { a: { a: [1.5, { b: 2.5 }] } });
  const refused = { msg: 'a has too many items (limit: 5)' };
  t.match(read(dicts, 'a={"a":1,"b":[2,3],"c":4,"d":5}'), refused, 'keys and items at all levels');
  t.match(read(dicts, 'a=[[[[[[['), refused, 'though it is no JSON');
  t.match(read(dicts, 'a={"a":",,,,,,[[[[[["}'), { a: { a: ',,,,,,[[[[[[' } }, 'marks in strings do not count');
});

t.test('texts are bounded', async (t) => {
  const made = reader({
    a: { in: 'form', encoding: 'string', schema: Type.String(), required: false },
    b: { in: 'form', encoding: 'string', schema: Type.String(), required: false, maxCharacters: 3 },
  });
  t.match(read(made, `a=${'x'.repeat(65_537)}`), { msg: 'a is too long (limit: 65536 characters)' });
  t.same(read(made, `a=${'x'.repeat(65_536)}`), { a: 'x'.repeat(65_536), b: undefined });
  const long = reader({
    a: { in: 'form', encoding: 'string', schema: Type.String({ maxLength: 9 }), required: false },
    b: json(Type.String()),
  });
  t.match(read(long, `a=${'x'.repeat(65_537)}`), { msg: 'a is too long (limit: 9 characters)' }, 'that of the schema');
  t.match(read(long, `b="${'x'.repeat(1_048_575)}"`), { msg: 'b is too long (limit: 1048576 characters)' }, 'in JSON');
  t.match(read(made, 'b=1234'), { status: 400, msg: 'b is too long (limit: 3 characters)' });
  t.match(read(made, 'b=123'), { b: '123' });
});

t.test('long fields are decoded like short ones', async (t) => {
  const texts = ['+', '%2B', '%C3%A4+', '%zz+', '%ff%+', 'ä%20+'];
  for (const text of texts) {
    const once = parseUrlencodedForm(`a=${text}`).get('a')!;
    t.equal(parseUrlencodedForm(`a=${text.repeat(2000)}`).get('a'), once.repeat(2000), text);
  }
});

t.test('random bytes as a body or query never crash', async () => {
  const made = reader({ a: json(Type.Array(Type.Integer())), b: json(Type.String(), { required: true }) });
  const ascii = fc.array(fc.constantFrom(...'ab=&%+1[]"{}\\u0\u00ff')).map((a) => a.join(''));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), ascii, (bytes, query) => {
      try {
        made.decodeAndCheckParameters(parseUrlencodedBody(bytes), parseUrlencodedForm(query), []);
        return true;
      } catch (error) {
        return error instanceof ApiError;
      }
    }),
    { numRuns: rounds(1_000, 3_000) },
  );
});

const TYPE = 'multipart/form-data; boundary=B';

t.test('large multipart bodies are parsed in pieces, to the same result', async (t) => {
  const head = (rest: string): string => `\r\n--B\r\nContent-Disposition: form-data; ${rest}\r\n\r\n`;
  // Bytes like the beginning of a boundary lie across every border of pieces.
  const bytes = Buffer.from('\r\n--A\r\n-\r'.repeat(30_000));
  const body = Buffer.concat([
    Buffer.from(`${head('name="a"').slice(2)}1`),
    Buffer.from(head('name="f"; filename="x"')),
    bytes,
    Buffer.from(`${head('name="b"')}2\r\n--B--\r\n`),
  ]);
  const { fields, files } = await parseMultipartForm(body, TYPE, true);
  t.same([...fields], [...Object.entries({ a: '1', b: '2' })]);
  t.ok(bytes.equals(files[0]!.bytes));
  t.equal(
    await refusal(() => parseMultipartForm(body.subarray(0, -12), TYPE, true)),
    'MALFORMED_FORM',
    'without an end',
  );
});

t.test('a multipart form with too many parts is refused before any is parsed', async (t) => {
  for (const times of [2_000, 200_000]) {
    const body = Buffer.from('--B\r\n'.repeat(times));
    t.equal(await refusal(() => parseMultipartForm(body, TYPE)), 'MALFORMED_FORM', `${times}`);
  }
  const long = Buffer.from(
    `--B\r\nContent-Disposition: form-data; name="a"\r\n\r\n${'x'.repeat(1_100_000)}\r\n--B--\r\n`,
  );
  t.equal(
    await refusal(() => parseMultipartForm(long, TYPE, true)),
    'MALFORMED_FORM',
    'a field of more than a megabyte',
  );
  t.equal(
    (await parseMultipartForm(long, TYPE)).fields.get('a')?.length,
    1_100_000,
    'where files are not taken the body is bounded',
  );
  t.equal(
    await refusal(() => parseMultipartForm(long, `multipart/form-data; boundary=${'B'.repeat(202)}`)),
    'MALFORMED_FORM',
  );
});

t.test('random multipart bodies never crash, and never hang', async () => {
  const piece = fc.constantFrom(
    '--B',
    '--',
    '\r\n',
    '\r\n\r\n',
    'Content-Disposition: form-data; name="a"',
    '; filename="../a"',
    'Content-Type: image/png',
    'Content-Transfer-Encoding: base64',
    'x',
    '\0',
    ';',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece), async (pieces) => {
      try {
        for (const keepFiles of [false, true]) {
          const { files } = await parseMultipartForm(Buffer.from(pieces.join('')), TYPE, keepFiles);
          if (files.length > 0 && !keepFiles) return false;
        }
        return true;
      } catch (error) {
        return error instanceof ApiError;
      }
    }),
    { numRuns: rounds(500, 1_500) },
  );
});

t.test('a form that is damaged anywhere is read or refused', async () => {
  const field = '--B\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n';
  const file =
    '--B\r\nContent-Disposition: form-data; name="f"; filename="x.png"\r\nContent-Type: image/png\r\n\r\nbytes\r\n';
  const whole = Buffer.from(`${field}${file}--B--\r\n`);
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length), fc.nat(20), fc.uint8Array({ maxLength: 6 }), async (at, drop, noise) => {
      const body = Buffer.concat([whole.subarray(0, at), noise, whole.subarray(at + drop)]);
      try {
        const { files } = await parseMultipartForm(body, TYPE, true);
        return files.every(({ bytes, name }) => bytes.byteLength <= body.byteLength && !name.includes('/'));
      } catch (error) {
        return error instanceof ApiError;
      }
    }),
    { numRuns: rounds(1_000, 3_000) },
  );
});
