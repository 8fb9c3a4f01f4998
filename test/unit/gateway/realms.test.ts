import t from 'tap';
import { findRealmByHostOrFirst, subdomainOfHost } from '#frontend/gateway';
import { toRealmId } from '#model';

const realms = [
  { id: toRealmId(1), subdomain: '', deactivated: false },
  { id: toRealmId(2), subdomain: 'lear', deactivated: false },
];

t.test('a subdomain of the external host names an organization; an address or localhost names none', async (t) => {
  const external = 'chat.example.com:443';
  t.equal(subdomainOfHost('lear.chat.example.com', external), 'lear');
  t.equal(subdomainOfHost('LEAR.chat.example.com:8080', external), 'lear');
  t.equal(subdomainOfHost('chat.example.com', external), '');
  for (const host of ['127.0.0.1:9991', '[::1]:9991', 'localhost', 'localhost:9991', '', 'elsewhere.org']) {
    t.equal(subdomainOfHost(host, external), undefined, host);
  }
});

t.test('a host name that ends with a dot names the same organization', async (t) => {
  const external = 'chat.example.com';
  for (const host of ['lear.chat.example.com.', 'lear.chat.example.com.:9991']) {
    t.equal(subdomainOfHost(host, external), 'lear', host);
    t.equal(findRealmByHostOrFirst(host, external, realms)?.id, 2, host);
  }
  t.equal(subdomainOfHost('chat.example.com.', external), '');
  t.equal(subdomainOfHost('localhost.:9991', external), undefined);
  t.equal(findRealmByHostOrFirst('nobody.chat.example.com.', external, realms), undefined);
});

t.test('without credentials the host decides; a host of no organization means the first', async (t) => {
  t.equal(findRealmByHostOrFirst('lear.chat.example.com', 'chat.example.com', realms)?.id, 2);
  t.equal(findRealmByHostOrFirst('127.0.0.1', 'chat.example.com', realms)?.id, 1);
  t.equal(findRealmByHostOrFirst('nobody.chat.example.com', 'chat.example.com', realms), undefined);
  t.equal(findRealmByHostOrFirst('chat.example.com', 'chat.example.com', realms.slice(1))?.id, 2, 'no root: the first');
  t.equal(findRealmByHostOrFirst('127.0.0.1', 'chat.example.com', []), undefined);
});
