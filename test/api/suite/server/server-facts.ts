/** Information that the server gives without credentials (realm.md § GET /server_settings, § Settings, § Other). */

import { refused } from '../../harness.js';
import { bad, Client, missing } from '../../support/client.js';
import { makeOrganization } from '../../support/organization.js';
import type { Facts } from '../facts.js';

export const serverFacts: Facts = async (t, server) => {
  const org = await makeOrganization(server, []);
  const host = `${org.subdomain}.localhost`;
  const nobody = new Client(server, 'nobody', { host });
  const as = (agent: string): Client => nobody.with({ 'user-agent': agent });

  await t.test('the description of the organization is HTML', async (t) => {
    const described = async () => (await nobody.ok('GET /server_settings')).realm_description;
    t.equal(await described(), '');
    await org.owner.api.ok('PATCH /realm', { description: 'Talks **loudly** <script>' });
    t.equal(await described(), '<p>Talks <strong>loudly</strong> &lt;script&gt;</p>');
    const { realm_description } = await org.owner.api.ok('POST /register', { fetch_event_types: ['realm'] });
    t.equal(realm_description, 'Talks **loudly** <script>', 'in register it is not');
    const formula = `$$${'a<'.repeat(120)}$$`;
    await org.owner.api.ok('PATCH /realm', { description: formula });
    const shown = `<p>${formula.replaceAll('<', '&lt;')}</p>`;
    t.equal(await described(), shown, 'a formula that may take long to typeset is shown as it was typed');
    await org.owner.api.ok('PATCH /realm', { description: ' ' });
    t.equal(await described(), '');
  });

  await t.test('only a marked client is incompatible', async (t) => {
    for (const [agent, incompatible] of [
      ['ZulipInvalid/5.0', true],
      ['ConclaveInvalid', true],
      ['ZulipInvalidated/1', false],
      ['ZulipMobile/5.0 (Android 5.1.1)', false],
      ['ZulipElectron/2.0.0 Windows', false],
    ] as const) {
      t.equal((await as(agent).ok('GET /server_settings')).is_incompatible, incompatible, agent);
    }
  });

  await t.test('clients that are too old get a refusal that says so', async (t) => {
    const old = bad('Client is too old');
    for (const agent of [
      'ZulipInvalid/5.0',
      'ZulipMobile/5.0 (Android 5.1.1)',
      'ZulipMobile/16.2.95 (Android 9)',
      'ZulipMobile/16 (Android 9)',
    ]) {
      await refused(t, as(agent).call('GET /compatibility'), old, agent);
    }
    for (const agent of [
      'ZulipMobile/16.2.96 (Android 9)',
      'ZulipMobile/27.1 (Android 13)',
      'ZulipMobile/5.0 (iOS 10.3.1)',
      'curl/8.1',
    ]) {
      const { status, body } = await as(agent).call('GET /compatibility');
      t.same([status, body], [200, { result: 'success', msg: '' }], agent);
    }
    await refused(t, nobody.call('GET /compatibility'), bad('User-Agent header missing from request'));
  });

  await t.test('features that are not configured are refused, with or without the right parameters', async (t) => {
    const disabled = bad('JWT authentication is not enabled for this organization');
    for (const params of [{}, { token: 'a.b.c', include_profile: true }]) {
      await refused(t, nobody.call('POST /jwt/fetch_api_key', params), disabled);
    }
    const { api } = org.owner;
    await refused(t, api.call('GET /calls/bigbluebutton/create'), missing('meeting_name'));
  });

  await t.test('the check of a subdomain says whether it is free', async (t) => {
    const ask = async (subdomain: string) => (await nobody.ok('GET /realm/subdomain/{subdomain}', { subdomain })).msg;
    t.equal(await ask('not-there-yet'), 'available');
    t.equal(await ask(org.subdomain), 'This subdomain is taken.');
    const length = 'A subdomain has 3 to 40 characters.';
    for (const [name, why] of [
      ['ab', length],
      ['a'.repeat(41), length],
      ['Upper', 'A subdomain has only lower-case letters, digits and hyphens.'],
      ['a_b', 'A subdomain has only lower-case letters, digits and hyphens.'],
      ['a\u0000b', 'A subdomain has only lower-case letters, digits and hyphens.'],
      ['-abc', 'A subdomain neither starts nor ends with a hyphen.'],
      ['abc-', 'A subdomain neither starts nor ends with a hyphen.'],
    ] as const) {
      t.equal(await ask(name), why, JSON.stringify(name));
    }
  });
};
