import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { describeSettingsForHelp, loadServerConfig, SERVER_SETTING_DECLARATIONS, ServerConfigError } from '#app/config';

t.test('without settings the embedded face listens on loopback', async (t) => {
  const config = loadServerConfig({}, {});
  t.match(config, { host: '127.0.0.1', port: 9991, dataDir: './data', role: 'all' });
  t.equal(config.nats, undefined);
});

t.test('the command line overrides the environment, and an empty variable counts as unset', async (t) => {
  const config = loadServerConfig({ port: '81' }, { PORT: '80', HOST: '0.0.0.0', DATA_DIR: '' });
  t.match(config, { port: 81, host: '0.0.0.0', dataDir: './data' });
});

t.test('every problem is named with its source, and secrets are not repeated', async (t) => {
  const environment = { PORT: 'x', CONCLAVE_SECRET: 'tooshort' };
  t.throws(() => loadServerConfig({ 'log-level': 'loud' }, environment), {
    name: 'ServerConfigError',
    message: /PORT: must be an integer[\s\S]*CONCLAVE_SECRET: must have at least 16[\s\S]*--log-level: must be one of/,
  });
  try {
    loadServerConfig({}, environment);
  } catch (error) {
    t.ok(error instanceof ServerConfigError);
    t.notMatch((error as Error).message, 'tooshort');
  }
});

t.test('incomplete cluster settings are refused', async (t) => {
  t.throws(() => loadServerConfig({ nats: 'nats://127.0.0.1:4222' }, {}), /both --nats and --mongodb/);
  t.throws(() => loadServerConfig({ role: 'http' }, {}), /needs a cluster/);
  const both = { nats: 'nats://127.0.0.1:4222', mongodb: 'mongodb://127.0.0.1/x' };
  t.throws(() => loadServerConfig(both, {}), /a cluster needs --secret/);
  t.equal(loadServerConfig({ ...both, secret: 'sixteen letters!' }, {}).role, 'all');
});

t.test('a file of the largest size fits into the memory for uploads', async (t) => {
  const of = (memory: string, file: string) => () =>
    loadServerConfig({ 'upload-memory-mib': memory, 'max-file-mib': file }, {});
  t.throws(of('256', '300'), /--upload-memory-mib must be larger than --max-file-mib \(given: 256 and 300\)/);
  t.throws(of('300', '300'), ServerConfigError);
  t.equal(of('301', '300')().maxFileMib, 300);
});

t.test('a setting without effect is refused', async (t) => {
  const of = (given: Record<string, string>) => () => loadServerConfig(given, {});
  t.throws(of({ 'log-streams': '3' }), /--log-streams 3 needs a cluster/);
  t.throws(of({ 'nats-replicas': '3' }), /--nats-replicas 3 needs a cluster/);
  t.throws(of({ namespace: 'other' }), /--namespace other needs a cluster/);
  t.equal(of({ 'log-streams': '1', namespace: '' })().logStreams, 1);
  t.throws(of({ 'push-gateway-token': 'token' }), /--push-gateway-token needs --push-gateway/);
  t.ok(of({ 'push-gateway-token': 'token', 'push-gateway': 'https://push.example.com' })());
});

t.test('help names every option and variable', async (t) => {
  const help = describeSettingsForHelp();
  for (const { option, env } of Object.values(SERVER_SETTING_DECLARATIONS))
    t.match(help, new RegExp(`--${option} [^]*\\(${env}\\)`));
});

t.test('the address of the mail server is not repeated; the sender is one address', async (t) => {
  const of = (given: Record<string, string>) => () => loadServerConfig(given, {});
  t.throws(of({ 'smtp-url': 'http://user:passw0rd@mail' }), /--smtp-url: must be an address that begins with smtp/);
  try {
    of({ 'smtp-url': 'http://user:passw0rd@mail' })();
  } catch (error) {
    t.notMatch((error as Error).message, 'passw0rd');
  }
  for (const from of ['Chat <chat@example.com>', 'chat@example.com']) {
    t.equal(loadServerConfig({ 'mail-from': from }, {}).mailFrom, from);
  }
  for (const from of ['chat', 'a@b, c@d', 'A <a@b>\r\nBcc: c@d', '"A" <a@b>', '<a@b> c']) {
    t.throws(of({ 'mail-from': from }), /an address, or a name/);
  }
});

t.test('problems of files of providers and keys name the file and the key in it, and no secret', async (t) => {
  const folder = t.testdir();
  const provider = { id: 'a', name: 'A', issuer: 'https://a.example', client_id: 'x', client_secret: 'S3CRET' };
  const file = join(folder, 'given.json');
  for (const [option, content, says] of [
    ['oidc', 'S3CRET', 'is not JSON'],
    ['oidc', {}, 'must be a list of providers: must be array'],
    [
      'oidc',
      [{ ...provider, name: undefined }],
      'must be a list of providers: entry 1: must have required properties name',
    ],
    ['oidc', [provider, { ...provider, nmae: 'B' }], 'must be a list of providers: entry 2: unknown: nmae'],
    [
      'oidc',
      [{ ...provider, claims: { role: 7 } }],
      'must be a list of providers: entry 1: claims: role: must be string',
    ],
    [
      'oidc',
      [{ ...provider, roles: { S: 'king' } }],
      'must be a list of providers: entry 1: roles: S: must be one of owner, administrator, moderator, member, guest',
    ],
    ['oidc', [{ ...provider, networks: 'here' }], 'networks of the provider a: '],
    ['oidc', [{ ...provider, icon: 'none.png' }], `the icon ${join(folder, 'none.png')} can't be read: ENOENT`],
    ['jwt-keys', { acme: { key: 'S3CRET' } }, ': acme: key: must not have fewer than 32 characters'],
    ['jwt-keys', { acme: {} }, ': acme: must have required properties key'],
    ['jwt-keys', { acme: { key: 'S3CRET'.repeat(6), algorithm: 'HS256' } }, ': acme: unknown: algorithm'],
  ] as const) {
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    try {
      loadServerConfig({ [option]: file }, {});
      t.fail(says);
    } catch (error) {
      const { message } = error as Error;
      t.ok(message.startsWith(`--${option}: the file ${file}: `) && message.includes(says), message);
      t.notMatch(message, 'S3CRET');
    }
  }
  t.throws(() => loadServerConfig({ oidc: '/nowhere/oidc.json' }, {}), {
    message: /^--oidc: the file \/nowhere\/oidc\.json can't be read: ENOENT/,
  });
});
