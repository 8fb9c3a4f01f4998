/** Every operation with the credentials of a deactivated account: refused before anything else is looked at. */
import { API_OPERATIONS } from '#frontend/api';
import { refused } from '../../harness.js';
import { unauthorized } from '../../support/client.js';
import { addPerson, makeOrganization } from '../../support/organization.js';
import { declaredAs } from '../../support/wire.js';
import type { Facts } from '../facts.js';

export const deactivatedAccount: Facts = async (t, server) => {
  const org = await makeOrganization(server, ['member']);
  const leaver = await addPerson(org, 'leaver', 'admin');
  const own = leaver.api.with({}, 'deactivated');
  const { queue_id } = await own.ok('POST /register', { fetch_event_types: [] });
  await org.owner.api.ok('DELETE /users/{user_id}', { user_id: leaver.id });
  const gone = unauthorized('Account is deactivated');
  for (const { method, path, root, guard, parameters } of API_OPERATIONS) {
    if (root || guard === 'none') continue;
    const name = declaredAs(method, path)?.[0] ?? `${method} ${path}`;
    const inPath = Object.entries(parameters).filter(([, of]) => of.in === 'path');
    const segments = Object.fromEntries(
      inPath.map(([part, of]) => [part, of.encoding === 'uint' ? org.member.id : 'x']),
    );
    await refused(t, own.call(name, segments), gone, name);
  }
  await refused(t, own.call('GET /events', { queue_id, dont_block: true }), gone, 'its own queue');
};
