import fc from 'fast-check';
import t from 'tap';
import {
  makeFilePath,
  makeTemporaryFileUri,
  parseFilePath,
  requireTemporaryUriFilePath,
  toFileDisplayName,
  toSafeFileName,
} from '#domain/files';
import { ServerCryptography } from '#domain/secrets';
import { toRealmId, toUserId } from '#model';
import { ANY_CODE_POINT } from '../../support/any-text.js';

t.test('file names are sanitized as in the recorded answers', async (t) => {
  t.equal(toSafeFileName('hello world.txt'), 'hello-world.txt');
  t.equal(toSafeFileName('image.png'), 'image.png');
});

t.test('a sanitized name is not empty, names no folder, and has only letters, digits, _ . -', async (t) => {
  for (const name of ['', ' ', '.', '..', '///', '\0', '*', '. .'])
    t.match(toSafeFileName(name), /^(uploaded-file|\.-\.)$/);
  fc.assert(
    fc.property(fc.string({ unit: ANY_CODE_POINT, maxLength: 400 }), (given) => {
      const name = toSafeFileName(given);
      return (
        /^[\p{L}\p{N}_.-]+$/u.test(name) &&
        name !== '.' &&
        name !== '..' &&
        [...name].length <= 200 &&
        toSafeFileName(name) === name
      );
    }),
  );
});

t.test('displayed names are decoded, have no control characters, and keep their end when they are cut', async (t) => {
  t.equal(toFileDisplayName('a%20b%0a.txt'), 'a b.txt');
  t.equal(toFileDisplayName('100%.txt'), '100%.txt');
  t.equal(toFileDisplayName(''), 'uploaded-file');
  t.match(toFileDisplayName(`${'x'.repeat(300)}.jpeg`), /^x{195}\.jpeg$/);
  fc.assert(fc.property(fc.string({ unit: ANY_CODE_POINT }), (given) => [...toFileDisplayName(given)].length > 0));
});

t.test('other sealed data is refused as the token of a temporary address', async (t) => {
  const secrets = new ServerCryptography('the secret of this server');
  const open = (token: string) => requireTemporaryUriFilePath(secrets, token, 'a.txt', 5);
  const [, , , token = ''] = makeTemporaryFileUri(secrets, '1/aa/b/a.txt', 0).split('/');
  t.equal(open(token), '1/aa/b/a.txt');
  for (const other of [['single-sign-on', { nonce: 'x' }], ['1/aa/b/a.txt', 9], [], {}]) {
    const sealed = Buffer.from(secrets.seal(JSON.stringify(other)), 'base64').toString('base64url');
    t.throws(() => open(sealed), { code: 'BAD_REQUEST' }, JSON.stringify(other));
  }
});

t.test('a path names its realm and its owner, and is unique', async () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4_000_000_000 }), fc.string(), (owner, name) => {
      const path = makeFilePath(toRealmId(7), toUserId(owner), name);
      const parsed = parseFilePath(path);
      const fresh = !seen.has(parsed!.token);
      seen.add(parsed!.token);
      return fresh && parsed!.owner === owner && parsed!.realm === 7 && path.endsWith(`/${parsed!.name}`);
    }),
  );
});

t.test('text that is no path is refused', async (t) => {
  const good = makeFilePath(toRealmId(1), toUserId(8), 'x.txt');
  t.ok(parseFilePath(good));
  for (const bad of [
    '',
    '/',
    `/${good}`,
    `${good}/`,
    `x/${good}`,
    good.replace('1/', '1/zz'),
    good.slice(0, -6),
    `${good}/y`,
  ]) {
    t.equal(parseFilePath(bad), undefined, bad);
  }
  fc.assert(fc.property(fc.string({ unit: ANY_CODE_POINT }), (given) => parseFilePath(given) === undefined));
});
