/** A frontend and commands of the command line without an actor host. */
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { dropNamespace } from '../support/drop-namespace.js';
import { runCommand } from './support/command-line.js';
import { remove, temporary } from './support/folders.js';
import { services } from './support/missing.js';
import { conclave } from './support/process.js';
import { healthOf } from './support/scrape.js';
import { until } from './support/wait.js';

const found = services();
if (found) {
  t.test('without an actor host a frontend is not ready and commands fail at once with the reason', async (test) => {
    const namespace = `t${randomBytes(6).toString('hex')}`;
    const folder = temporary('no-hosts');
    const options = [
      ...['--nats', found.nats, '--mongodb', `${found.mongodb.replace(/\/*$/, '')}/conclave_${namespace}`],
      ...['--namespace', namespace, '--secret', 'a secret for tests only', '--data-dir', folder],
    ];
    const frontend = conclave(['serve', '--role', 'http', '--port', '0', ...options]);
    test.teardown(async () => {
      await frontend.stop();
      remove(folder);
      await dropNamespace(found, namespace);
    });
    await frontend.says('Conclave serves');
    const ops = await frontend.ops();
    const ready = () => healthOf(ops, 'ready');
    const hosts = async () => (await ready()).body.checks!.hosts;
    test.same(await hosts(), { ok: false, reason: 'no actor host is alive' });

    const who = ['--name', 'Test', '--email', 'owner@example.com', '--full-name', 'Owner'];
    const create = () => runCommand(['realm', 'create', ...who, ...options]);
    const refused = await create();
    test.equal(refused.code, 1);
    test.match(refused.stderr, /^conclave: no actor host of this cluster is alive: start one with conclave serve/);
    test.equal(refused.stderr.trim().split('\n').length, 1);

    const host = conclave(['serve', '--role', 'actors', ...options]);
    await host.says('Conclave actor host runs');
    await until('the frontend is ready', async () => (await ready()).status === 200);
    test.same(await hosts(), { ok: true });
    await host.kill();
    await until('the frontend has noticed', async () => (await ready()).status === 503);
    test.match(await hosts(), { ok: false });
    const again = await create();
    test.same([again.code, /no actor host/.test(again.stderr)], [1, true], again.stderr);
  });
}
