/**
 * A server in a process of its own, so that a test can kill it: `node served.js FOLDER PORT`. The first start in a
 * folder makes an organization. One line of JSON says that the server is ready, and what is in it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { startEmbedded } from '../../api/support/faces.js';
import { makeOrganization } from '../../api/support/organization.js';

/** A port that is free now. */
const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const listener = createServer().listen(0, '127.0.0.1', () => {
      const address = listener.address();
      listener.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

const [folder = '', port = '0'] = process.argv.slice(2);
const file = join(folder, 'organization.json');
const ops = await freePort();
const server = await startEmbedded({ options: { 'data-dir': folder, port, 'ops-port': String(ops) } });
if (!existsSync(file)) {
  const { subdomain, people } = await makeOrganization(server, ['member', 'other']);
  const list = people.map(({ role, id, email, name, key }) => ({ role, id, email, name, key }));
  writeFileSync(file, JSON.stringify({ subdomain, people: list }));
}
const known = JSON.parse(readFileSync(file, 'utf8'));
process.stdout.write(`${JSON.stringify({ port: server.nextPort(), ops, ...known })}\n`);
