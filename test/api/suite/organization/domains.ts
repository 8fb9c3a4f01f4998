/** Domains that addresses of accounts may have (realm.md § Domains). */

import { refused } from '../../harness.js';
import { bad, missing, type Refusal } from '../../support/client.js';
import { makeOrganization, type Person } from '../../support/organization.js';
import { Queue } from '../../support/queue.js';
import type { ApiEvent, Fields } from '../../support/types.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

const NOT_OWNER: Refusal = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization owner' };
const HUGE = `${'a'.repeat(300)}.com`;

export const domains: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, member, guest } = org;
  const add = (domain: unknown, allow_subdomains: unknown = false, by: Person = owner) =>
    by.api.call('POST /realm/domains', { domain, allow_subdomains });
  const change = (domain: string, allow_subdomains: unknown, by: Person = owner) =>
    by.api.call('PATCH /realm/domains/{domain}', { domain, allow_subdomains });
  const remove = (domain: string, by: Person = owner) => by.api.call('DELETE /realm/domains/{domain}', { domain });
  const list = async (by: Person = guest) => (await by.api.ok('GET /realm/domains')).domains as Fields[];

  await t.test('a domain is added, changed and removed; all users get the event', async (t) => {
    const queue = await Queue.register(guest, { event_types: ['realm_domains'] });
    const id = (await add(' ACME.com ', true)).body.new_domain as [number, string];
    t.equal(id[1], 'acme.com');
    const second = (await add('b-2.example.org')).body.new_domain as [number, string];
    t.ok(second[0] > id[0]);
    t.same(await list(), [
      { domain: 'acme.com', allow_subdomains: true },
      { domain: 'b-2.example.org', allow_subdomains: false },
    ]);
    t.equal((await change('Acme.com', false)).status, 200);
    t.equal((await remove('ACME.COM')).status, 200);
    const one = { domain: 'b-2.example.org', allow_subdomains: false };
    t.same(await list(member), [one]);
    const { realm_domains } = await member.api.ok('POST /register', { fetch_event_types: ['realm_domains'] });
    t.same(realm_domains, [one]);
    t.same(
      (await queue.take(4)).map(({ op, domain, realm_domain }: ApiEvent) => [op, domain ?? realm_domain]),
      [
        ['add', { domain: 'acme.com', allow_subdomains: true }],
        ['add', one],
        ['change', { domain: 'acme.com', allow_subdomains: false }],
        ['remove', 'acme.com'],
      ],
    );
    t.same(await list(elsewhere.owner), []);
  });

  await t.test('text that is no domain is refused, in this order', async (t) => {
    const wrong = (reason: string): Refusal => bad(`Invalid domain: ${reason}`);
    const cases: [string, Refusal][] = [
      ['', wrong("Domain can't be empty.")],
      ['  ', wrong("Domain can't be empty.")],
      ['acme', wrong('Domain must have at least one dot (.)')],
      ['-', wrong('Domain must have at least one dot (.)')],
      [HUGE, wrong('Domain is too long')],
      ['.acme.com', wrong('Domain cannot start or end with a dot (.)')],
      ['acme.com.', wrong('Domain cannot start or end with a dot (.)')],
      ['acme..com', wrong("Consecutive '.' are not allowed.")],
      ['-acme.com', wrong("Subdomains cannot start or end with a '-'.")],
      ['acme-.com', wrong("Subdomains cannot start or end with a '-'.")],
      ['ac_me.com', wrong("Domain can only have letters, numbers, '.' and '-'s.")],
      ['äcme.com', wrong("Domain can only have letters, numbers, '.' and '-'s.")],
      ['a\u0000b.com', wrong("Domain can only have letters, numbers, '.' and '-'s.")],
      ['B-2.example.org', bad('The domain b-2.example.org is already a part of your organization.')],
    ];
    for (const [domain, refusal] of cases) await refused(t, add(domain), refusal, JSON.stringify(domain.slice(0, 20)));
    await refused(t, add(undefined), missing('domain'));
    await refused(t, owner.api.call('POST /realm/domains', { domain: 'x.com' }), missing('allow_subdomains'));
    await refused(t, add('x.com', 1), bad('allow_subdomains is not a boolean'));
    await refused(t, change('b-2.example.org', 'yes'), bad('Argument "allow_subdomains" is not valid JSON.'));
    for (const unknown of ['nope.com', 'x y', HUGE]) {
      await refused(t, change(unknown, true), bad(`No entry found for domain ${unknown}.`), 'change');
      await refused(t, remove(unknown), bad(`No entry found for domain ${unknown}.`), 'remove');
    }
    t.equal((await list()).length, 1);
  });

  await t.test('domains are managed by owners of the same organization only', async (t) => {
    for (const person of org.people.filter(({ role }) => role !== 'owner')) {
      await refused(t, add('', '', person), NOT_OWNER, person.role);
      await refused(t, change('nope.com', '', person), NOT_OWNER, person.role);
      await refused(t, remove('nope.com', person), NOT_OWNER, person.role);
      t.equal((await list(person)).length, 1, person.role);
    }
    const none = bad('No entry found for domain b-2.example.org.');
    await refused(t, change('b-2.example.org', true, elsewhere.owner), none);
    await refused(t, remove('b-2.example.org', elsewhere.owner), none);
  });

  await t.test('removing the last domain lifts the restriction of addresses', async (t) => {
    await verifyAction(t, 'a domain', [owner, guest], () => add('two.example.org'));
    await verifyAction(t, 'its subdomains', [owner, guest], () => change('two.example.org', true));
    await owner.api.ok('PATCH /realm', { emails_restricted_to_domains: true });
    await verifyAction(t, 'fewer domains', [owner, guest], () => remove('two.example.org'));
    const restricted = async () =>
      (await guest.api.ok('POST /register', { fetch_event_types: ['realm'] })).realm_emails_restricted_to_domains;
    t.equal(await restricted(), true);
    await verifyAction(t, 'no domain', [owner, guest], () => remove('b-2.example.org'));
    t.equal(await restricted(), false);
  });
};
