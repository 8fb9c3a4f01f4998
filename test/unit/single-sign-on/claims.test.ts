/** Settings of single sign-on, and what the claims of a provider mean. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import {
  type IdentityProviderConfig,
  parseIdentityProvidersSetting,
  parseJwtKeysSetting,
} from '#frontend/single-sign-on';
import { lacksIdentityClaims, makeExternalIdentity } from '../../../src/frontend/single-sign-on/claims.js';
import { PICTURE } from '../../support/identity-provider.js';

const config = (more: object = {}): IdentityProviderConfig =>
  parseIdentityProvidersSetting(
    JSON.stringify([{ id: 'a', name: 'A', issuer: 'https://a.example', client_id: 'x', ...more }]),
  )[0]!;

t.test('fields that are left out have defaults', async (t) => {
  t.same(config(), {
    id: 'a',
    name: 'A',
    issuer: 'https://a.example',
    client_id: 'x',
    icon: null,
    client_secret: null,
    scopes: ['openid', 'email', 'profile'],
    claims: { email: 'email', full_name: 'name', avatar: null, role: null },
    roles: {},
    update_name: false,
    trust_email: false,
    organizations: null,
    insecure: false,
    networks: '',
  });
  t.same(parseJwtKeysSetting(JSON.stringify({ '': { key: 'k'.repeat(32) } })), {
    '': { key: 'k'.repeat(32), algorithms: ['HS256'] },
  });
});

t.test('networks are a text with commas, or a list', (t) => {
  t.equal(config({ networks: '10.1.0.0/16,10.2.0.0/16' }).networks, '10.1.0.0/16,10.2.0.0/16');
  t.equal(config({ networks: ['10.1.0.0/16', '10.2.0.0/16'] }).networks, '10.1.0.0/16,10.2.0.0/16');
  t.throws(() => config({ networks: ['10.1.0.0/77'] }), { message: /must be networks such as/ });
  t.end();
});

t.test('an icon is a picture beside the file of the providers', async (t) => {
  const folder = t.testdir({ 'icon.png': PICTURE, 'text.png': 'no picture', 'large.png': Buffer.alloc(131_073) });
  const given = (icon: string) =>
    JSON.stringify([{ id: 'a', name: 'A', issuer: 'https://a.example', client_id: 'x', icon }]);
  const file = join(folder, 'oidc.json');
  writeFileSync(file, given('icon.png'));
  const [{ icon } = config()] = parseIdentityProvidersSetting(file);
  t.match(icon, { bytes: PICTURE, type: 'image/png', tag: /^[0-9a-f]{32}$/ });
  t.equal(config({ icon: join(folder, 'icon.png') }).icon?.tag, icon?.tag);
  for (const [name, message] of [
    ['https://pictures.example/icon.png', /is an address/],
    [join(folder, 'text.png'), /is no picture/],
    [join(folder, 'large.png'), /larger than/],
    [join(folder, 'missing.png'), /ENOENT/],
  ] as const) {
    t.throws(() => config({ icon: name }), { message }, name);
  }
});

t.test('problems are told without the secrets of the text', async (t) => {
  const secret = 'the secret of the client';
  for (const text of [`[{"client_secret":"${secret}"`, `[{"client_secret":"${secret}"}]`]) {
    t.throws(() => parseIdentityProvidersSetting(text));
    try {
      parseIdentityProvidersSetting(text);
    } catch (error) {
      t.notMatch((error as Error).message, secret);
    }
  }
  const twice = { id: 'a', name: 'A', issuer: 'https://a.example', client_id: 'x' };
  t.throws(() => parseIdentityProvidersSetting(JSON.stringify([twice, twice])), { message: /same id/ });
});

t.test('an address counts if it is verified, or trusted and not denied', async (t) => {
  const email = 'ann@example.com';
  const of = (claims: object, more: object = {}) =>
    makeExternalIdentity({ sub: '1', email, ...claims }, config(more)).email;
  t.equal(of({ email_verified: true }), email);
  t.equal(of({ email_verified: 'true' }), email);
  for (const verified of [false, 'false', 1, null]) t.equal(of({ email_verified: verified }), null, String(verified));
  t.equal(of({}), null);
  t.equal(of({}, { trust_email: true }), email);
  t.equal(of({ email_verified: false }, { trust_email: true }), null);
  t.equal(of({ email: 7, email_verified: true }), null);
  t.equal(of({ email: 'x'.repeat(1_001), email_verified: true }), null);
});

t.test('a verified address vouches for no other address in a renamed claim', async (t) => {
  const of = (claims: object, more: object = {}) =>
    makeExternalIdentity({ sub: '1', ...claims }, config({ claims: { email: 'upn' }, ...more })).email;
  const renamed = { upn: 'owner@example.com', email_verified: true };
  t.equal(of({ ...renamed, email: 'eve@example.com' }), null);
  t.equal(of(renamed), null, 'no claim `email`');
  t.equal(of({ ...renamed, email: 'Owner@example.com' }), 'owner@example.com');
  t.equal(of(renamed, { trust_email: true }), 'owner@example.com');
  t.equal(of({ ...renamed, email_verified: false }, { trust_email: true }), null);
});

t.test('the strongest role among the values of the claim counts, and no inherited name', async (t) => {
  const roles = { boss: 'administrator', lead: 'moderator' };
  const of = (groups: unknown, more: object = {}) =>
    makeExternalIdentity({ sub: '1', groups }, config({ claims: { role: 'groups' }, roles: { ...roles, ...more } }))
      .role;
  t.equal(of(['lead', 'boss', 'x']), 200);
  t.equal(of('lead'), 300);
  for (const none of [[], 'x', undefined, 7, ['constructor', '__proto__']]) t.equal(of(none), null);
  t.equal(of([], { '*': 'guest' }), 600);
  t.equal(makeExternalIdentity({ sub: '1', groups: ['boss'] }, config({ roles })).role, null, 'no claim is named');
  t.ok(lacksIdentityClaims({ email: 'a' }, config()));
  t.notOk(lacksIdentityClaims({ email: 'a', name: 'b' }, config()));
});
