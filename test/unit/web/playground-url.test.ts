/** Addresses of playgrounds for code (RFC 6570). */
import t from 'tap';
import { makePlaygroundUrl } from '../../../web/src/messages/content/playground-url.js';

const CODE = `print('50% & more')\n`;
const VALUE = 'print%28%2750%25%20%26%20more%27%29%0A';

t.test('the code follows a prefix, or stands where the template has its variable', async (t) => {
  t.equal(makePlaygroundUrl('https://play.example/?code=', CODE), `https://play.example/?code=${VALUE}`);
  t.equal(makePlaygroundUrl('https://play.example/?c={code}&run=1', CODE), `https://play.example/?c=${VALUE}&run=1`);
  t.equal(makePlaygroundUrl('https://play.example/{?code}', CODE), `https://play.example/?code=${VALUE}`);
  t.equal(makePlaygroundUrl('https://play.example/?run=1{&code}', CODE), `https://play.example/?run=1&code=${VALUE}`);
  t.equal(makePlaygroundUrl('https://play.example/{#code}', 'a b'), 'https://play.example/#a%20b');
  t.equal(makePlaygroundUrl('https://play.example{/code}', 'a/b'), 'https://play.example/a%2Fb');
});
