/**
 * A server in a process of its own, so that a test can kill it: `node served.js FOLDER`. It makes an organization. One
 * line of JSON says that the server is ready, and what is in it.
 */
import { startEmbedded } from '../../api/support/faces.js';
import { makeOrganization } from '../../api/support/organization.js';
import { freePort } from '../../support/free-port.js';

const [folder = ''] = process.argv.slice(2);
const ops = await freePort();
const server = await startEmbedded({ options: { 'data-dir': folder, 'ops-port': String(ops) } });
const { subdomain, people } = await makeOrganization(server, ['member', 'other']);
const list = people.map(({ role, id, email, name, key }) => ({ role, id, email, name, key }));
process.stdout.write(`${JSON.stringify({ port: server.nextPort(), ops, subdomain, people: list })}\n`);
