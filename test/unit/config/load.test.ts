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
