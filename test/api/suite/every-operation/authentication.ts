/** Credentials of a caller, for every operation: conventions.md § Authentication. */
import { API_OPERATIONS } from '#frontend/api';
import { refused } from '../../harness.js';
import { basic, Client, type Params, type Refusal, unauthorized } from '../../support/client.js';
import { makeOrganization } from '../../support/organization.js';
import { declaredAs } from '../../support/wire.js';
import type { Facts } from '../facts.js';

/** Calls of operations that need credentials, with wrong parameters: authentication comes first. */
const CLOSED_OPERATIONS = API_OPERATIONS.filter(({ guard, root }) => guard !== 'none' && !root).map(
  ({ method, path }) => declaredAs(method, path)![0],
);

/** Fills each segment of the path with some value. */
const segments = (operation: string): Params =>
  Object.fromEntries([...operation.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, 1]));

const NOT_LOGGED_IN: Refusal = {
  status: 401,
  msg: 'Not logged in: API authentication or user session required',
};
const BAD_HEADER = unauthorized('Invalid authorization header for basic auth');
const UNKNOWN_KEY = unauthorized('Invalid API key');

const base64 = (text: string): string => Buffer.from(text).toString('base64');

export const authentication: Facts = async (t, server) => {
  const [one, two] = [await makeOrganization(server, ['member', 'other']), await makeOrganization(server, ['member'])];
  const { member } = one;
  const asking = (authorization: string, role: string): Client => new Client(server, role, { authorization });

  await t.test('a call without credentials gets 401 without code, and the scheme to use', async (t) => {
    for (const operation of CLOSED_OPERATIONS) {
      const answer = await one.nobody.call(operation, segments(operation));
      t.same(answer.body, { result: 'error', msg: NOT_LOGGED_IN.msg }, operation);
      t.same([answer.status, answer.headers['www-authenticate']], [401, 'Basic realm="Conclave"'], operation);
    }
  });

  await t.test('a wrong key is refused by every operation', async (t) => {
    const wrong = asking(
      basic(member.email, `${member.key.slice(0, -1)}${member.key.endsWith('A') ? 'B' : 'A'}`),
      'wrong key',
    );
    for (const operation of CLOSED_OPERATIONS) {
      await refused(t, wrong.call(operation, segments(operation)), UNKNOWN_KEY, operation);
    }
  });

  await t.test('a header that cannot be read is refused by every operation', async (t) => {
    for (const operation of CLOSED_OPERATIONS) {
      const call = asking('Basic', 'malformed header').call(operation, segments(operation));
      await refused(t, call, BAD_HEADER, operation);
    }
  });

  await t.test('each defect of the header has its answer', async (t) => {
    const me = (authorization: string) => asking(authorization, 'malformed header').call('GET /users/me');
    await refused(t, me('Basic two words'), BAD_HEADER, 'three words');
    await refused(t, me('Basic !!!!'), BAD_HEADER, 'no base64');
    await refused(t, me(`Basic ${base64('no colon')}`), BAD_HEADER, 'no colon');
    await refused(t, me(`Basic ${base64('a:b:c')}`), BAD_HEADER, 'two colons');
    await refused(t, me(`Bearer ${member.key}`), {
      code: 'BAD_REQUEST',
      msg: 'This endpoint requires HTTP basic authentication.',
    });
    for (const key of ['', 'short', `${member.key}A`, `${member.key.slice(1)}-`]) {
      await refused(t, me(basic(member.email, key)), unauthorized('Malformed API key'), `key '${key}'`);
    }
    await refused(t, me(basic(member.email, 'A'.repeat(32))), UNKNOWN_KEY, 'a key of nobody');
    await refused(t, me(basic(one.other.email, member.key)), UNKNOWN_KEY, "a key with somebody else's address");
    await refused(t, me(basic('', member.key)), UNKNOWN_KEY, 'a key without address');
  });

  await t.test('address and key may have blanks around them, and the address may have any case', async (t) => {
    const loud = asking(basic(` ${member.email.toUpperCase()} `, ` ${member.key} `), 'member');
    t.equal((await loud.ok('GET /users/me')).user_id, member.id);
    t.equal(
      (await asking(`basic ${base64(`${member.email}:${member.key}`)}`, 'member').ok('GET /users/me')).user_id,
      member.id,
    );
  });

  await t.test('credentials determine the organization; the host of another one refuses them', async (t) => {
    const at = (host: string) => member.api.with({ host }).call('GET /users/me');
    t.equal((await at('127.0.0.1')).status, 200);
    t.equal((await at(`${one.subdomain}.localhost`)).status, 200);
    t.equal((await at('somewhere.else.example')).status, 200, 'a foreign name names no organization');
    const elsewhere = unauthorized('Account is not associated with this subdomain');
    await refused(t, at(`${two.subdomain}.localhost`), elsewhere, 'another organization');
    await refused(t, at('nowhere.localhost'), elsewhere, 'an organization that does not exist');
    const foreign = member.api.with({ host: `${two.subdomain}.localhost` }, 'foreign');
    for (const operation of CLOSED_OPERATIONS) {
      await refused(t, foreign.call(operation, segments(operation)), elsewhere, operation);
    }
  });

  await t.test('a user of another organization sees that organization, even if ids are equal', async (t) => {
    t.equal(two.member.id, member.id, 'ids of different organizations coincide');
    const { members } = await two.member.api.with({}, 'foreign').ok<{ members: { email: string }[] }>('GET /users');
    t.same(members.map((user) => user.email).sort(), [two.member.email, two.owner.email].sort());
  });
};
