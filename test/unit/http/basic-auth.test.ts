import fc from 'fast-check';
import t from 'tap';
import { ApiError } from '#model/errors';
import { parseAuthorizationHeader } from '../../../src/frontend/http/authenticate.js';
import { AUTH, KEY, refusal } from './support.js';

const basic = (text: string | Buffer): string => `Basic ${Buffer.from(text as string).toString('base64')}`;

t.test('each defect of the header has its own refusal, in the order of the table', async (t) => {
  const refused: [header: string, reason: string][] = [
    ['', 'NOT_LOGGED_IN'],
    ['   ', 'NOT_LOGGED_IN'],
    ['Basic', 'AUTH_HEADER'],
    ['Bearer', 'AUTH_HEADER'],
    [`${AUTH} x`, 'AUTH_HEADER'],
    ['Bearer a b', 'AUTH_HEADER'],
    ['Bearer abc', 'AUTH_SCHEME'],
    ['Basic !!!!', 'AUTH_HEADER'],
    ['Basic YWJj=', 'AUTH_HEADER'],
    [basic('no colon'), 'AUTH_HEADER'],
    [basic(`a:b:${KEY}`), 'AUTH_HEADER'],
    [basic(Buffer.from([0xff, 0x3a, 0x41])), 'AUTH_HEADER'],
    [basic('a@b.c:short'), 'API_KEY_MALFORMED'],
    [basic(`a@b.c:${KEY}x`), 'API_KEY_MALFORMED'],
    [basic(`a@b.c:${KEY.slice(1)}-`), 'API_KEY_MALFORMED'],
    [basic('a@b.c:'), 'API_KEY_MALFORMED'],
  ];
  for (const [header, reason] of refused) {
    t.equal(await refusal(() => parseAuthorizationHeader(header)), reason, header);
  }
});

t.test('blanks around user name and key, and the case of the scheme, do not matter', async (t) => {
  t.same(parseAuthorizationHeader(AUTH), { username: 'iago@example.com', apiKey: KEY });
  t.same(parseAuthorizationHeader(basic(` a@b.c : ${KEY} `)), { username: 'a@b.c', apiKey: KEY });
  t.same(parseAuthorizationHeader(` bASIC   ${basic(`x:${KEY}`).slice(6)} `), { username: 'x', apiKey: KEY });
});

t.test('any header gives credentials or a refusal', async () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map(basic),
        fc.base64String().map((s) => `Basic ${s}`),
      ),
      (header) => {
        try {
          return parseAuthorizationHeader(header).apiKey.length === 32;
        } catch (error) {
          return error instanceof ApiError;
        }
      },
    ),
  );
});
