/** Addresses that an organization admits. */
import t from 'tap';
import { findEmailDomainPolicyProblem, makeDisposableDomainTest } from '#domain/people';

const domains = [
  { id: 1, domain: 'acme.com', allowSubdomains: false },
  { id: 2, domain: 'school.example.org', allowSubdomains: true },
];
const of = (address: string, settings: Parameters<typeof findEmailDomainPolicyProblem>[1], disposable = false) =>
  findEmailDomainPolicyProblem(address, settings, domains, disposable);

t.test('a restriction admits the domains, and their subdomains where allowed', async (t) => {
  const restricted = { emails_restricted_to_domains: true, disallow_disposable_email_addresses: true };
  const cases: [string, string | undefined][] = [
    ['a@acme.com', undefined],
    ['a@ACME.com', undefined],
    ['a@sub.acme.com', 'domain'],
    ['a@xacme.com', 'domain'],
    ['a@school.example.org', undefined],
    ['a@deep.down.school.example.org', undefined],
    ['a@preschool.example.org', 'domain'],
    ['a@example.org', 'domain'],
    ['a@localhost', 'domain'],
    ['a+b@acme.com', 'plus'],
    ['a+b@elsewhere.com', 'plus'],
    ['a+b@x.school.example.org', 'plus'],
  ];
  for (const [address, problem] of cases) t.equal(of(address, restricted), problem, address);
  t.equal(of('a@acme.com', restricted, true), undefined, 'its own domains are known to it');
  t.equal(findEmailDomainPolicyProblem('a@acme.com', restricted, [], false), 'domain');
});

t.test('without restriction all addresses are admitted, disposable ones where allowed', async (t) => {
  const open = { emails_restricted_to_domains: false, disallow_disposable_email_addresses: true };
  t.equal(of('a+b@anywhere.net', open), undefined);
  t.equal(of('a@anywhere.net', open, true), 'disposable');
  t.equal(of('a@anywhere.net', { ...open, disallow_disposable_email_addresses: false }, true), undefined);
});

t.test('the list of disposable domains has one per line, and covers their subdomains', async (t) => {
  const disposable = makeDisposableDomainTest('# a list\nThrown.example\r\n\n  gone.test # since 2026\n');
  for (const domain of ['thrown.example', 'x.thrown.example', 'gone.test']) t.ok(disposable(domain), domain);
  for (const domain of ['example', 'nothrown.example', 'test', '', 'a list', '.']) t.notOk(disposable(domain), domain);
  t.notOk(makeDisposableDomainTest('')('thrown.example'));
});
