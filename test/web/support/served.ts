/**
 * A server in a process of its own, so that a test can kill it: `node served.js FOLDER PORT`. The first start in a
 * folder makes an organization. One line of JSON says that the server is ready, and what is in it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEmbedded } from '../../api/support/faces.js';
import { makeOrganization } from '../../api/support/organization.js';

const [folder = '', port = '0'] = process.argv.slice(2);
const file = join(folder, 'organization.json');
const server = await startEmbedded({ options: { 'data-dir': folder, port } });
if (!existsSync(file)) {
  const { subdomain, people } = await makeOrganization(server, ['member', 'other']);
  const list = people.map(({ role, id, email, name, key }) => ({ role, id, email, name, key }));
  writeFileSync(file, JSON.stringify({ subdomain, people: list }));
}
process.stdout.write(`${JSON.stringify({ port: server.nextPort(), ...JSON.parse(readFileSync(file, 'utf8')) })}\n`);
