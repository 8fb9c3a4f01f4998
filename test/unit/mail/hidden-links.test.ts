import t from 'tap';
import { hiddenLink, withLinks } from '#domain/mail';
import { Secrets } from '#domain/secrets';

const secrets = new Secrets('a secret of sixteen letters');
const URL = 'http://localhost/join/token';

t.test('a stored link is sealed, always the same, and sent in clear', async (t) => {
  const hidden = hiddenLink(secrets, URL);
  t.notMatch(hidden, 'token');
  t.equal(hiddenLink(secrets, URL), hidden, 'handlers are repeated');
  t.not(hiddenLink(secrets, `${URL}2`).slice(0, 16), hidden.slice(0, 16), 'no vector is used twice');
  t.equal(withLinks(secrets, `open ${hidden} or ${hidden}.`), `open ${URL} or ${URL}.`);
});

t.test('text that only looks like a sealed link stays, as does a link of another server', async (t) => {
  const foreign = hiddenLink(new Secrets('another secret, of others'), URL);
  for (const text of ['\0AAAA\0', '\0\0', '\0=\0', 'plain', foreign]) t.equal(withLinks(secrets, text), text);
});
