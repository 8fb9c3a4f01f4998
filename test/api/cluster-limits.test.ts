/** Rate limits across the frontends of a cluster: calls counted by one count at the others. */
import t from 'tap';
import { until } from '../support/until.js';
import { services, startCluster } from './support/faces.js';
import { closeIdle } from './support/http.js';
import { makeOrganization } from './support/organization.js';

t.setTimeout(120_000);

const CALLS = 40;

const cluster = services(t);
if (cluster) {
  const server = await startCluster(cluster, undefined, {
    'rate-limits': 'on',
    'rate-limit-user': `600:${CALLS}`,
    'rate-limit-address': `600:${CALLS}`,
  });
  try {
    const { member, other, nobody } = await makeOrganization(server, ['member', 'other']);
    const [one, two] = [server.nextPort(), server.nextPort()];
    t.not(one, two, 'two frontends');
    // Frontends follow the server's log as soon as there is an organization.
    let own = 0;
    await until('they hear of each other', async () => {
      await other.api.at(one).call('GET /users/me');
      await new Promise((resolve) => setTimeout(resolve, 250));
      own++;
      const { headers } = await other.api.at(two).call('GET /users/me');
      return CALLS - Number(headers['x-ratelimit-remaining']) > own;
    });
    for (const [who, client, operation] of [
      ['an account', member.api, 'GET /users/me'],
      ['an address', nobody, 'GET /server_settings'],
    ] as const) {
      let through = 0;
      const call = async (port: number): Promise<number> => {
        const { status } = await client.at(port).call(operation);
        if (status === 200) through++;
        return status;
      };
      for (let i = 0; i < CALLS - 5; i++) t.equal(await call(one), 200);
      let there = 0;
      await until('the other frontend knows of them', async () => {
        there++;
        await new Promise((resolve) => setTimeout(resolve, 200));
        return (await call(two)) === 429;
      });
      t.ok(there < CALLS / 2, `${who} is refused after ${there} calls there`);
      await until('the first one, too', async () => (await call(one)) === 429);
      t.ok(through <= CALLS + 15, `${through} calls of ${CALLS} allowed were let through`);
    }
  } finally {
    closeIdle();
    await server.close();
  }
}
