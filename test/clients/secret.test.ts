/** Server secret: a process with another secret does not start, and after a deliberate change users get new keys. */

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { Api } from './support/api.js';
import { runCommand } from './support/command-line.js';
import { Cluster, command, Embedded, OTHER, PASSWORD } from './support/face.js';
import { services } from './support/missing.js';
import { bounded, conclave, type Ended } from './support/process.js';
import { HANG_TIMEOUT_MS, until } from './support/wait.js';

const NEW_SECRET = 'quite another secret';
const NEW_PASSWORD = 'quietly-otter-ladder-27';
const MISMATCH = /^conclave: the data.* was written under another server secret.*conclave secret changed/m;

/** Runs a command to its end. `serve` runs as a separate process, because it is expected to fail. */
const runToExit = (...args: string[]): Promise<Ended> =>
  args[0] === 'serve' ? bounded(conclave(args), HANG_TIMEOUT_MS) : runCommand(args);

function refused(test: Test, { code, stderr }: Ended, what: string): void {
  test.equal(code, 2, `${what}: exit code of a wrong configuration`);
  test.match(stderr, MISMATCH, what);
}

interface Bot {
  readonly username: string;
  readonly api_key: string;
}

const bots = async (api: Api): Promise<readonly Bot[]> =>
  ((await api.ok('GET', '/bots')) as unknown as { bots: readonly Bot[] }).bots;

interface ShownBot {
  readonly api_key: string;
  readonly services: readonly { readonly token: string }[];
}

t.test(
  'embedded: another secret is refused, and after a deliberate change users and bots get new keys',
  async (test) => {
    const face = await Embedded.start();
    test.teardown(() => face.stop());
    const at = ['--data-dir', face.dataDir];
    const hook = { full_name: 'Hook', short_name: 'hook', bot_type: 3, payload_url: '"http://127.0.0.1:9/"' };
    await face.api().ok('POST', '/bots', hook);
    const [before] = await bots(face.api());

    const wrong = await runToExit('user', 'key', '--email', OTHER, ...at, '--secret', NEW_SECRET);
    refused(test, wrong, 'a command beside the running server');
    const renewed = await command(['user', 'new-key', '--email', OTHER, ...at]);
    test.match(renewed, /^[0-9A-Za-z]{32}$/);
    test.equal((await face.api(face.other).call('GET', '/users/me')).status, 401, 'the former API key is invalid');
    const other = new Api(face.site, { email: OTHER, key: renewed });
    test.equal((await other.call('GET', '/users/me')).status, 200);
    test.equal(await command(['user', 'key', '--email', OTHER, ...at]), renewed);
    await command(['user', 'password', '--email', OTHER, '--password', NEW_PASSWORD, ...at]);
    const logIn = (password: string) => other.call('POST', '/fetch_api_key', { username: OTHER, password });
    test.equal((await logIn(PASSWORD)).status, 401, 'the former password is invalid');
    test.equal((await logIn(NEW_PASSWORD)).status, 200);
    const weak = await runToExit('user', 'password', '--email', OTHER, '--password', 'secret', ...at);
    test.match(weak.stderr, /too weak/);
    test.equal((await runToExit('user', 'forget-identities', '--email', OTHER, ...at)).code, 0);
    test.match(
      (await runToExit('secret', 'changed', ...at)).stderr,
      /in use/,
      "the secret can't be changed while a server runs",
    );
    await face.server.stop();

    for (const words of [['serve'], ['check-config'], ['realm', 'list']]) {
      refused(test, await runToExit(...words, ...at, '--secret', NEW_SECRET), words.join(' '));
    }
    const same = await runToExit('secret', 'changed', ...at);
    test.equal(same.code, 1);
    test.match(same.stderr, /nothing was changed: this is the secret that the data already has/);
    rmSync(join(face.dataDir, 'secret'));
    const lost = await runToExit('serve', ...at);
    test.equal(lost.code, 2);
    test.match(lost.stderr, /no file secret/);
    test.notOk(existsSync(join(face.dataDir, 'secret')), 'no new secret is created in its place');
    test.match(await command(['secret', 'changed', ...at]), /new secret is in force/);
    test.ok(existsSync(join(face.dataDir, 'secret')));

    await face.up();
    test.equal((await face.api().call('GET', '/users/me')).status, 401);
    const login = await new Api(face.site, { email: '', key: '' }).call('POST', '/fetch_api_key', {
      username: OTHER,
      password: NEW_PASSWORD,
    });
    test.equal(login.status, 200, 'a login works and creates a new API key');
    const { api_key } = login.body as { readonly api_key: string };
    test.equal((await new Api(face.site, { email: OTHER, key: api_key }).call('GET', '/users/me')).status, 200);
    const { email } = face.owner;
    const key = await command(['user', 'key', '--email', email, ...at]);
    const owner = new Api(face.site, { email, key });
    const watched = (await owner.ok('POST', '/register', { fetch_event_types: ['realm_bot'] })) as unknown as {
      readonly realm_bots: readonly ShownBot[];
    };
    const [shown] = watched.realm_bots;
    test.match(shown, { api_key: /^[0-9A-Za-z]{32}$/, services: [{ token: /^[0-9A-Za-z]{32}$/ }] });
    test.equal((await bots(owner))[0]?.api_key, shown?.api_key, "the bot's new key stays the same");
    const bot = new Api(face.site, { email: before!.username, key: shown!.api_key });
    test.equal((await bot.call('GET', '/users/me')).status, 200, "the bot's new key works");
  },
);

const cluster = services();
if (cluster) {
  t.test('cluster: a host, a frontend and a command with another secret are refused', async (test) => {
    const face = await Cluster.start(cluster, 1, []);
    test.teardown(() => face.stop());
    const at = ['--nats', cluster.nats, '--mongodb', face.mongodb, '--namespace', face.namespace];
    const wrong = [...at, '--secret', NEW_SECRET];
    for (const words of [
      ['serve', '--role', 'http', '--port', '0'],
      ['serve', '--role', 'actors'],
      ['check-config'],
      ['user', 'new-key', '--email', OTHER],
    ]) {
      refused(test, await runToExit(...words, ...wrong), words.join(' '));
    }
    test.match(await face.command('check-config'), /the secret: matches the stored data/);
    const ann = ['--email', 'ann@example.com'];
    await face.command('user', 'create', ...ann, '--full-name', 'Ann', '--password', PASSWORD);
    const key = await face.command('user', 'key', ...ann);
    const api = face.api(0, { email: 'ann@example.com', key });
    await until('the frontend knows the account', async () => (await api.call('GET', '/users/me')).status === 200);
    test.ok(await face.api(0).register(), 'the running cluster still works');
    const running = await runToExit('secret', 'changed', ...wrong);
    test.match(running.stderr, /stop every process of the cluster first/);
    await face.down();
    test.match((await runToExit('secret', 'changed', ...wrong)).stdout, /new secret is in force/);
    test.match((await runToExit('secret', 'changed', ...wrong)).stderr, /this is the secret that the data already has/);
    refused(test, await face.attempt('check-config'), 'the former secret');
  });
}
