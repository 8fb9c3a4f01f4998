import fc from 'fast-check';
import t from 'tap';
import { OutgoingAddressFilter, parseIpNetworkList } from '#base';

t.test('by default only the public Internet is reached, for any form of an address', async (t) => {
  const reachable = new OutgoingAddressFilter('');
  for (const address of ['93.184.216.34', '8.8.8.8', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8']) {
    t.ok(reachable.allowsIpAddress(address), address);
  }
  const special = [
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::127.0.0.1',
    '::7f00:1',
    '::ffff:0:127.0.0.1',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:169.254.169.254',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'ff02::1',
    'localhost',
    '',
    '127.1',
  ];
  for (const address of special) t.notOk(reachable.allowsIpAddress(address), address);
});

t.test('no private address is public by its IPv6 form', async () => {
  const reachable = new OutgoingAddressFilter('');
  const byte = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(byte, byte, byte, byte, (a, b, c, d) => {
      const plain = `${a}.${b}.${c}.${d}`;
      return reachable.allowsIpAddress(plain) || !reachable.allowsIpAddress(`::ffff:${plain}`);
    }),
  );
});

t.test('named networks are reached besides', async (t) => {
  const reachable = new OutgoingAddressFilter('10.1.0.0/16, 127.0.0.1,fd00::/8');
  for (const address of ['10.1.2.3', '127.0.0.1', '::ffff:127.0.0.1', 'fd00::5', '8.8.8.8']) {
    t.ok(reachable.allowsIpAddress(address), address);
  }
  for (const address of ['10.2.0.1', '127.0.0.2', 'fc00::1']) t.notOk(reachable.allowsIpAddress(address), address);
});

t.test('text that is no list of networks is refused', async (t) => {
  for (const text of [
    'localhost',
    '10.0.0.0/33',
    '10.0.0/8',
    '::1/129',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '1.2.3.4/-1',
    'x',
  ]) {
    t.throws(() => parseIpNetworkList(text), /must be networks/, text);
  }
  t.same(parseIpNetworkList(' , '), []);
});
