import fc from 'fast-check';
import t from 'tap';
import { PasswordStrengthThread, ServerCryptography } from '#domain/secrets';
import { toRealmId } from '#model';

const SECRET = 'a secret of the test suite';

t.test('an API key has 32 letters and digits and names its realm to holders of the secret', async (t) => {
  const secrets = new ServerCryptography(SECRET);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 32 }), (realm) => {
      const key = secrets.makeRandomApiKey(toRealmId(realm));
      return /^[A-Za-z0-9]{32}$/.test(key) && secrets.decodeRealmOfApiKey(key) === realm;
    }),
  );
  const key = secrets.makeRandomApiKey(toRealmId(7));
  t.not(new ServerCryptography(`${SECRET}!`).decodeRealmOfApiKey(key), 7, 'another secret reads another number');
  t.not(key.slice(0, 6), secrets.makeRandomApiKey(toRealmId(7)).slice(0, 6), 'two keys of a realm do not look alike');
});

t.test('any 32 letters and digits name some realm number', async () => {
  const secrets = new ServerCryptography(SECRET);
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-z0-9]{32}$/), (key) => {
      const realm = secrets.decodeRealmOfApiKey(key);
      return Number.isSafeInteger(realm) && realm >= 0;
    }),
  );
});

t.test('keys are looked up by a keyed hash and opened only under the same secret', async (t) => {
  const secrets = new ServerCryptography(SECRET);
  const key = secrets.makeRandomApiKey(toRealmId(1));
  t.equal(secrets.hashApiKeyOrToken(key), new ServerCryptography(SECRET).hashApiKeyOrToken(key));
  t.not(secrets.hashApiKeyOrToken(key), new ServerCryptography(`${SECRET}!`).hashApiKeyOrToken(key));
  const sealed = secrets.seal(key);
  t.notMatch(sealed, key);
  t.not(secrets.seal(key), sealed, 'the same text is never sealed alike');
  t.equal(new ServerCryptography(SECRET).unseal(sealed), key);
  t.throws(() => new ServerCryptography(`${SECRET}!`).unseal(sealed));
  t.throws(() => secrets.unseal(`${sealed.slice(0, -4)}AAA=`), 'a changed text is noticed');
});

t.test('a right password is accepted, a wrong one is not, and an account without password accepts none', async (t) => {
  const secrets = new ServerCryptography(SECRET);
  const stored = await secrets.hashPassword('correct horse');
  t.ok(await secrets.verifyPassword('correct horse', stored));
  t.notOk(await secrets.verifyPassword('correct horsf', stored));
  t.notOk(await secrets.verifyPassword('', null));
  t.notOk(await secrets.verifyPassword('x', 'plain$x'));
  t.not(await secrets.hashPassword('correct horse'), stored, 'salted');
});

t.test('a short server secret is refused', async (t) => {
  t.throws(() => new ServerCryptography('short'), /at least 16/);
});

t.test('passwords that are short, common, or made of the name are too weak', async (t) => {
  const passwords = new PasswordStrengthThread();
  t.teardown(() => passwords.close());
  const strong = (password: string, related: string[] = []) => passwords.isStrongEnough(password, related);
  t.notOk(await strong('a9$Zq'));
  t.notOk(await strong('password'));
  t.notOk(await strong('hamlet@example.com', ['hamlet@example.com']));
  t.ok(await strong('correct horse battery'));
  t.ok(await strong('x'.repeat(3).concat('7Gq!vw').repeat(2000)), 'a very long one is answered in no time');
});
