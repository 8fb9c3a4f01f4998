/** Credentials of callers, for every operation that newer levels alone have; the others are in every-operation/. */
import { NEWER_API_OPERATIONS } from '#frontend/api';
import { basic, Client } from '../../support/client.js';
import { atLevel } from '../../support/levels.js';
import { addPerson, makeBot, makeOrganization } from '../../support/organization.js';
import type { Facts } from '../facts.js';

export const newerOperations: Facts = async (t, server) => {
  const org = await makeOrganization(server, ['member']);
  const elsewhere = await makeOrganization(server, ['member']);
  const { owner, member } = org;
  const leaver = await addPerson(org, 'leaver', 'admin');
  await owner.api.ok('DELETE /users/{user_id}', { user_id: leaver.id });
  const hook = await makeBot(member, { bot_type: 2 });
  const wrongKey = basic(member.email, `${member.key.slice(0, -1)}${member.key.endsWith('A') ? 'B' : 'A'}`);
  const callers: Readonly<Record<string, readonly [client: Client, msg: string]>> = {
    'without credentials': [org.nobody, 'Not logged in: API authentication or user session required'],
    'with a wrong key': [new Client(server, 'wrong key', { authorization: wrongKey }), 'Invalid API key'],
    'of a deactivated account': [leaver.api, 'Account is deactivated'],
    'by an incoming webhook bot': [hook.api, 'This API is not available to incoming webhook bots.'],
    'at the host of another organization': [
      member.api.with({ host: `${elsewhere.subdomain}.localhost` }),
      'Account is not associated with this subdomain',
    ],
  };
  for (const { method, path, parameters, since } of NEWER_API_OPERATIONS) {
    await t.test(`${method} ${path}`, async (t) => {
      const inPath = Object.entries(parameters).filter(([, of]) => of.in === 'path');
      const segments = Object.fromEntries(inPath.map(([name, of]) => [name, of.encoding === 'uint' ? 1 : 'x']));
      for (const [title, [api, msg]] of Object.entries(callers)) {
        const { status, body } = await atLevel({ ...member, api }).api.call(`${method} ${path}`, segments);
        t.same([status, body.msg], [401, msg], title);
      }
      const concrete = path.replace(/\{(\w+)\}/g, (_, name: string) => String(segments[name]));
      const below = atLevel(member, since! - 1).api.raw({ method, path: `/api/v1${concrete}` });
      t.equal((await below).status, 404, 'below its level');
    });
  }
};
