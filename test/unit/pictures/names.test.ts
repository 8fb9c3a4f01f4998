import fc from 'fast-check';
import t from 'tap';
import {
  AVATAR_SIZES,
  blobNameOfAvatar,
  formatAllRealmPictureFieldsForApi,
  parsePicturePath,
  realmPictureUrl,
  uploadedAvatarUrl,
} from '#domain/pictures';
import { toRealmId } from '#model';
import { ANY_CODE_POINT } from '../../support/any-text.js';
import { rounds } from '../../support/rounds.js';

const HASH = '065479b6c272be862f0b668a0e3f3083451198c7';
const pathOf = (url: string): string => url.replace(/^\/user_avatars\/4\//, '').replace(/\?.*$/, '');

t.test('a generated name is read back', async (t) => {
  const avatar = { realm: toRealmId(4), hash: HASH, number: 7 };
  t.equal(uploadedAvatarUrl(avatar, 2, 'small'), `/user_avatars/4/${HASH}.png?version=2`);
  t.equal(uploadedAvatarUrl(avatar, 2, 'medium'), `/user_avatars/4/${HASH}-medium.png?version=2`);
  for (const size of AVATAR_SIZES) {
    t.same(parsePicturePath(pathOf(uploadedAvatarUrl(avatar, 2, size))), { of: 'avatar', hash: HASH, size });
  }
  for (const name of ['icon', 'logo', 'night_logo'] as const) {
    t.same(parsePicturePath(pathOf(realmPictureUrl(toRealmId(4), name, 3))), { of: 'realm', name });
  }
  for (const path of ['emoji/images/7.png', 'emoji/images/7.gif', 'emoji/images/still/7.png']) {
    t.same(parsePicturePath(path), { of: 'emoji' });
  }
});

t.test('any other name is no picture', async (t) => {
  fc.assert(fc.property(fc.string({ unit: ANY_CODE_POINT }), (text) => parsePicturePath(text) === undefined));
  const piece = fc.constantFrom(
    '..',
    '.',
    '/',
    '\\',
    '\0',
    '%2f',
    HASH,
    '-medium',
    '.png',
    'realm',
    'icon',
    'emoji',
    'images',
    '7',
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const path = pieces.join('');
      return parsePicturePath(path) === undefined || !/\.\.|[\\\0%]/.test(path);
    }),
    { numRuns: rounds(700, 2_000) },
  );
  t.equal(parsePicturePath(`${HASH}.png\n`), undefined);
});

t.test('each upload of each account has its own name', async (t) => {
  const places = [HASH, HASH.replace('0', '1')].flatMap((hash) =>
    [1, 2, 11].flatMap((number) => AVATAR_SIZES.map((size) => blobNameOfAvatar(hash, number, size))),
  );
  t.equal(new Set(places).size, places.length);
});

t.test('defaults and uploads of an organization have distinct names', async (t) => {
  const of = { realm: toRealmId(4), subdomain: 'zulip' };
  const icon_url = 'https://secure.gravatar.com/avatar/62429d594b6ffc712f54aee976a18b44?d=identicon';
  const logo = '/static/images/logo.svg?version=0';
  t.same(formatAllRealmPictureFieldsForApi({ ...of, pictures: {} }), {
    icon_url,
    icon_source: 'G',
    logo_url: logo,
    logo_source: 'D',
    night_logo_url: logo,
    night_logo_source: 'D',
  });
  const pictures = { logo: { number: 3, version: 5 }, icon: { number: 0, version: 9 } };
  t.match(formatAllRealmPictureFieldsForApi({ ...of, pictures }), {
    icon_url,
    icon_source: 'G',
    logo_url: '/user_avatars/4/realm/logo.png?version=5',
    logo_source: 'U',
    night_logo_source: 'D',
  });
});
