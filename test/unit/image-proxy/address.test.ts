import fc from 'fast-check';
import t from 'tap';
import { makeImageProxyPath, openProxiedImageAddress } from '#domain/pictures';

const ADDRESS = 'https://example.com/é.png?a=1&b=2';
const DIGEST = 'acfcc79d93eaff8bdff593c4967e84f5ff181e44';
const HEX = '68747470733a2f2f6578616d706c652e636f6d2fc3a92e706e673f613d3126623d32';

t.test('a path has the SHA-1 HMAC of the address and the address, in hexadecimal', async (t) => {
  t.equal(makeImageProxyPath(ADDRESS, 'key'), `/external_content/${DIGEST}/${HEX}`);
  t.equal(openProxiedImageAddress(DIGEST, HEX, 'key'), ADDRESS);
});

t.test('only paths signed by the server name an address', async (t) => {
  t.equal(openProxiedImageAddress(DIGEST, HEX, 'other key'), undefined);
  t.equal(openProxiedImageAddress(DIGEST.toUpperCase(), HEX, 'key'), undefined);
  for (const digest of ['', 'x', DIGEST.slice(1), `${DIGEST}0`, `${DIGEST}\n`, 'é'.repeat(40)]) {
    t.equal(openProxiedImageAddress(digest, HEX, 'key'), undefined, JSON.stringify(digest));
  }
  for (const hex of ['', HEX.slice(1), HEX.slice(2), `${HEX}0`, `${HEX}00`, `${HEX}zz`, HEX.toUpperCase(), 'zz']) {
    t.equal(openProxiedImageAddress(DIGEST, hex, 'key'), undefined, JSON.stringify(hex));
  }
});

t.test('no digit of a path can be changed', async () => {
  const digits = `${DIGEST}${HEX}`;
  fc.assert(
    fc.property(fc.nat(digits.length - 1), fc.integer({ min: 1, max: 15 }), (at, by) => {
      const digit = ((Number.parseInt(digits[at]!, 16) + by) % 16).toString(16);
      const changed = digits.slice(0, at) + digit + digits.slice(at + 1);
      return openProxiedImageAddress(changed.slice(0, 40), changed.slice(40), 'key') === undefined;
    }),
  );
});

t.test('a path leads back to its address', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (rest) => {
      const address = `http://a/${rest}`;
      const [, , digest = '', hex = ''] = makeImageProxyPath(address, 'key')!.split('/');
      return openProxiedImageAddress(digest, hex, 'key') === address;
    }),
  );
});

t.test('addresses of other schemes and those above 3,500 bytes have none', async (t) => {
  for (const address of ['', '/a.png', '//a/b.png', 'ftp://a/b.png', 'javascript:alert(1)', 'data:image/png,x']) {
    t.equal(makeImageProxyPath(address, 'key'), undefined, address);
  }
  const long = (length: number): string => `http://a/${'x'.repeat(length - 9)}`;
  t.ok(makeImageProxyPath(long(3_500), 'key'));
  t.equal(makeImageProxyPath(long(3_501), 'key'), undefined);
});
