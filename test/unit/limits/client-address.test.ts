import fc from 'fast-check';
import t from 'tap';
import { ClientAddressResolver } from '#frontend/limits';

t.test('no forwarding header is believed unless proxies are configured', async (t) => {
  const addresses = new ClientAddressResolver('');
  t.ok(addresses.trustsNoProxy);
  t.equal(addresses.rateLimitedNetworkOf('198.51.100.1', '203.0.113.1'), '198.51.100.1');
});

t.test("the client's address is the rightmost one that is no proxy of ours", async (t) => {
  const addresses = new ClientAddressResolver('10.0.0.0/8, 2001:db8:ffff::/48');
  const cases: readonly (readonly [peer: string, forwarded: string, network: string])[] = [
    ['198.51.100.1', '203.0.113.1', '198.51.100.1'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', '203.0.113.1', '203.0.113.1'],
    ['10.0.0.1', '192.0.2.1, 203.0.113.1 ,10.9.9.9', '203.0.113.1'],
    ['10.0.0.1', '10.0.0.2, 10.0.0.3', '10.0.0.2'],
    ['10.0.0.1', '203.0.113.1, unknown', '10.0.0.1'],
    ['10.0.0.1', '203.0.113.1, 10.0.0.7, ', '10.0.0.1'],
    ['10.0.0.1', '203.0.113.1:4711', '203.0.113.1'],
    ['10.0.0.1', '[2001:db8:1:2:3::4]:4711', '2001:db8:1:2::/64'],
    ['::ffff:10.0.0.1', '203.0.113.1', '203.0.113.1'],
    ['0000:0000:0000:0000:0000:ffff:0a00:0001', '203.0.113.1', '203.0.113.1'],
    ['10.0.0.1', '::ffff:203.0.113.1', '203.0.113.1'],
    ['2001:db8:ffff::1', '203.0.113.1', '203.0.113.1'],
    ['fe80::1%eth0', '', 'fe80:0:0:0::/64'],
    ['::1', '', '0:0:0:0::/64'],
  ];
  for (const [peer, forwarded, network] of cases) {
    t.equal(addresses.rateLimitedNetworkOf(peer, forwarded), network, `${peer} ${forwarded}`);
  }
});

t.test('a client can forge its address inside a trusted network, and not outside of it', async (t) => {
  const forwardedByBalancer = '203.0.113.9, 10.1.2.3';
  t.equal(new ClientAddressResolver('10.0.0.0/8').rateLimitedNetworkOf('10.0.5.7', forwardedByBalancer), '203.0.113.9');
  t.equal(new ClientAddressResolver('10.0.5.7').rateLimitedNetworkOf('10.0.5.7', forwardedByBalancer), '10.1.2.3');
});

t.test('all spellings of addresses of one IPv6 network are one', async (t) => {
  const addresses = new ClientAddressResolver('');
  const long = '2001:0db8:0000:0042:0000:0000:0000:0001';
  for (const same of ['2001:db8:0:42::1', '2001:DB8:0:42::', '2001:db8:0:42:1:2:3:4', '2001:db8:0:42::1.2.3.4']) {
    t.equal(addresses.rateLimitedNetworkOf(same, ''), addresses.rateLimitedNetworkOf(long, ''), same);
  }
  t.not(addresses.rateLimitedNetworkOf('2001:db8:0:43::1', ''), addresses.rateLimitedNetworkOf(long, ''));
});

t.test('hostile header values do no harm', async (t) => {
  const addresses = new ClientAddressResolver('10.0.0.0/8');
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()))),
      (any) => {
        const network = addresses.rateLimitedNetworkOf('10.0.0.1', Array.isArray(any) ? any.join(', ') : any);
        return /^[0-9.]+$|^[0-9a-f:]+::\/64$/.test(network);
      },
    ),
  );
  t.pass();
});
