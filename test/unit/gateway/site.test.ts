import t from 'tap';
import { type SiteUrlOptions, siteUrlOfRealm } from '#frontend/gateway';

const plain: SiteUrlOptions = {
  scheme: 'http',
  externalHost: 'localhost',
  listenAddress: '127.0.0.1',
  listenPort: 9991,
};
const FORGED = [
  'evil.example',
  'localhost.evil.example',
  'evil.example:9991',
  '127.0.0.1.evil.example',
  '203.0.113.5',
  '[2001:db8::1]',
  '127.0.0.1@evil.example',
  'localhost/evil',
  'localhost:9991.evil.example',
  'localhost\r\nx: y',
  '[::1]evil.example',
  'other.localhost',
  'localhost:999999',
  '',
];

t.test('with an external host the Host header is ignored', async (t) => {
  const options: SiteUrlOptions = { ...plain, scheme: 'https', externalHost: 'chat.example.com' };
  for (const host of [...FORGED, '127.0.0.1:9991', 'chat.example.com', 'team.chat.example.com:8080', 'localhost']) {
    t.equal(siteUrlOfRealm(options, host, 'team'), 'https://team.chat.example.com', host);
    t.equal(siteUrlOfRealm(options, host, ''), 'https://chat.example.com', host);
  }
  t.equal(
    siteUrlOfRealm({ ...options, externalHost: 'chat.example.com:8443' }, 'evil.example', 'team'),
    'https://team.chat.example.com:8443',
  );
  const address = { ...plain, externalHost: '192.168.1.5:9991' };
  t.equal(siteUrlOfRealm(address, 'evil.example', 'team'), 'http://192.168.1.5:9991', 'addresses have no subdomains');
});

t.test(
  'without an external host, a Host that names this machine and no other organization is used as received',
  async (t) => {
    for (const host of [
      'localhost',
      'localhost:8080',
      '127.0.0.1:9991',
      '127.8.8.8',
      '[::1]:9991',
      'team.localhost:80',
    ]) {
      t.equal(siteUrlOfRealm(plain, host, 'team'), `http://${host}`, host);
    }
    for (const host of FORGED) t.equal(siteUrlOfRealm(plain, host, 'team'), 'http://team.localhost:9991', host);
    for (const host of ['evil.example', 'team.localhost'])
      t.equal(siteUrlOfRealm(plain, host, ''), 'http://localhost:9991', host);
    t.equal(siteUrlOfRealm({ ...plain, listenPort: 0 }, 'evil.example', ''), 'http://localhost');
  },
);

t.test('a server that listens on one address of a network is known under that address', async (t) => {
  const lan = { ...plain, listenAddress: '192.168.1.5' };
  for (const host of [...FORGED, '192.168.1.5:9991'])
    t.equal(siteUrlOfRealm(lan, host, 'team'), 'http://192.168.1.5:9991', host);
  t.equal(siteUrlOfRealm({ ...plain, listenAddress: 'fd00::5' }, 'evil.example', ''), 'http://[fd00::5]:9991');
  for (const host of ['0.0.0.0', '::', '::1', '127.0.0.1']) {
    t.equal(siteUrlOfRealm({ ...plain, listenAddress: host }, 'evil.example', ''), 'http://localhost:9991', host);
  }
});
