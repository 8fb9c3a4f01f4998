import t from 'tap';
import { sealMailLink, unsealMailLinks } from '#domain/mail';
import { ServerCryptography } from '#domain/secrets';

const secrets = new ServerCryptography('a secret of sixteen letters');
const URL = 'http://localhost/join/token';

t.test('a stored link is sealed, always the same, and sent in clear', async (t) => {
  const hidden = sealMailLink(secrets, URL);
  t.notMatch(hidden, 'token');
  t.equal(sealMailLink(secrets, URL), hidden, 'handlers are repeated');
  t.not(sealMailLink(secrets, `${URL}2`).slice(0, 16), hidden.slice(0, 16), 'no vector is used twice');
  t.equal(unsealMailLinks(secrets, `open ${hidden} or ${hidden}.`), `open ${URL} or ${URL}.`);
});

t.test('text that only looks like a sealed link stays, as does a link of another server', async (t) => {
  const foreign = sealMailLink(new ServerCryptography('another secret, of others'), URL);
  for (const text of ['\0AAAA\0', '\0\0', '\0=\0', 'plain', foreign]) t.equal(unsealMailLinks(secrets, text), text);
});
