/**
 * Every setting refuses senseless values: `check-config` and `serve` print the same text, name the option, and exit
 * with code 2.
 */
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import t, { type Test } from 'tap';
import { SERVER_SETTING_DECLARATIONS, type ServerSettingName } from '#app/config';
import { runAndCapture } from '../../support/command-output.js';

const folder = t.testdir({ file: '', folder: {}, locked: {} });

const NUMBERS = ['-1', '1.5', 'NaN', 'Infinity', '1e3', '0x10', ' 5', '5 ', '', 'five', '99999999999999999999'];
const PORTS = [...NUMBERS, '65536'];
/** 0 is wrong, too. */
const COUNTS = [...NUMBERS, '0'];
const WORDS = ['', 'maybe', 'YES', '1'];
const NETWORKS = ['10.0.0.0/33', '10.0.0.0/', '10.0.0/8', 'here', '::1/129', '10.0.0.0/8;11.0.0.0/8'];
const RULES = ['', '60', '60:', ':200', '0:1', '60:0', '-60:200', '60:200,', '99999999:1', '60:9999999999', 'on'];
const ADDRESSES = ['', ' ', '127.0.0.1:80', 'http://here', 'here/there', '[::1]', '::g', 'a b', 'x'.repeat(300)];
const ACCOUNT = 'user:pass%zz@';

/** A new setting has its values here, too: without them this does not compile. */
const NONSENSE: Readonly<Record<ServerSettingName, readonly string[]>> = {
  host: [...ADDRESSES, '203.0.113.7'],
  port: PORTS,
  opsHost: [...ADDRESSES, '203.0.113.7'],
  opsPort: PORTS,
  apiLevels: [
    'on',
    'ZulipFlutter',
    '=371',
    'ZulipFlutter=',
    'ZulipFlutter=372',
    'A=371;B=371',
    'A=371,',
    'A B=371',
    'A=-1',
  ],
  leaveSeconds: [...NUMBERS, '601'],
  dataDir: [
    '',
    ' ',
    '/proc/conclave',
    '/proc/conclave/data',
    `${folder}/file`,
    `${folder}/file/below`,
    'x'.repeat(5_000),
  ],
  workers: [...NUMBERS, '65', 'all', 'AUTO'],
  role: [...WORDS, 'frontend', 'ALL'],
  nats: [
    '',
    'nats://',
    '127.0.0.1',
    'http://here',
    'nats://here:0',
    'nats://here:x',
    'nats://here/path',
    'nats://a b',
    `nats://${ACCOUNT}a`,
    'nats://a,',
    'nats://a,tls://',
  ],
  natsReplicas: [...NUMBERS, '0', '2', '7'],
  mongodb: [
    '',
    'mongodb://',
    'here',
    'http://here',
    'mongodb://here:0',
    'mongodb://here:70000',
    'mongodb://a/b/c',
    'mongodb://a/b.c',
    `mongodb://${ACCOUNT}a`,
    'mongodb://a,',
    'mongodb://a/b?noSuchOption=1',
  ],
  externalHost: [
    '',
    'http://x',
    'http://x/y',
    'x/y',
    'x:',
    'x:0',
    'x:70000',
    'x y',
    'x..y',
    '-x',
    '[::g]',
    '[::1]x',
    'user@x',
    'x?y',
  ],
  externalScheme: [...WORDS, 'ftp', 'https://'],
  secret: ['', 'tooshort', 'change me, at least 16 characters', 'CHANGE-ME-CHANGE-ME', 'a'.repeat(40), ' '.repeat(20)],
  emojiNames: WORDS,
  realmName: ['', ' ', 'x'.repeat(41), 'a\nb'],
  ownerEmail: [
    '',
    'owner',
    '@x',
    'a@b',
    'a b@example.com',
    'a@example.com, b@example.com',
    `${'x'.repeat(260)}@example.com`,
  ],
  ownerName: ['', ' ', 'x', 'x'.repeat(101), 'a\nb', '"A"', 'a@b'],
  disposableDomains: ['', ' ', `${folder}/missing`, `${folder}/folder`, `${folder}/file/below`],
  web: WORDS,
  oidc: [
    '',
    `${folder}/missing`,
    '[',
    '[{}]',
    '[{"id":"a b","name":"A","issuer":"https://a.example","client_id":"x"}]',
    '[{"id":"a","name":"A","issuer":"http://a.example","client_id":"x"}]',
    '[{"id":"a","name":"A","issuer":"https://a.example?x","client_id":"x"}]',
    '[{"id":"a","name":"A","issuer":"https://a.example","client_id":"x","roles":{"x":"king"}}]',
    '[{"id":"a","name":"A","issuer":"https://a.example","client_id":"x","networks":"here"}]',
  ],
  jwtKeys: ['', `${folder}/missing`, '{', '{"acme":{"key":"short"}}', '{"acme":{"key":"k","algorithms":["none"]}}'],
  webPublicStreams: WORDS,
  smtpUrl: [
    '',
    'here',
    'http://here',
    'smtp://',
    'smtp://here:0',
    'smtp://here:x',
    'smtp://here/path',
    `smtp://${ACCOUNT}here`,
  ],
  administratorEmail: ['', 'admin', 'a@b, c@d', 'Admin <a@example.com>'],
  mailFrom: ['', 'chat', 'a@b, c@d', 'A <a@b>\r\nBcc: c@d'],
  imageProxy: WORDS,
  outgoing: WORDS,
  webPush: WORDS,
  pushGateway: ['', 'here', 'ftp://here', 'http://', 'http://user@here/', 'http://:%@here/', 'http://here/#there'],
  pushGatewayToken: ['', 'a b', 'ä', 'a\nb', 'x'.repeat(1_001)],
  pushContent: WORDS,
  webhookNetworks: NETWORKS,
  maxConnections: COUNTS,
  maxRequests: COUNTS,
  maxPolls: COUNTS,
  maxQueues: COUNTS,
  heartbeatSeconds: [...COUNTS, '4', '51'],
  receiveMemoryMib: COUNTS,
  sendMemoryMib: COUNTS,
  rateLimits: WORDS,
  rateLimitUser: RULES,
  rateLimitAddress: RULES,
  rateLimitMails: RULES,
  rateLimitFile: RULES,
  trustedProxies: NETWORKS,
  compression: [...WORDS, 'gzip'],
  httpAdapter: [...WORDS, 'express'],
  deadlineSeconds: [...COUNTS, '601'],
  outageSeconds: [...COUNTS, '601'],
  maxBodyMib: [...COUNTS, '1025'],
  maxFileMib: [...COUNTS, '1025'],
  uploadQuotaMib: NUMBERS,
  uploadMemoryMib: COUNTS,
  logHours: COUNTS,
  logMib: COUNTS,
  logStreams: [...COUNTS, '65'],
  namespace: ['a b', 'a.b', 'a-b', '*', 'x'.repeat(65)],
  logLevel: [...WORDS, 'verbose', '30'],
};

async function said(
  argv: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ code: number; stderr: string }> {
  const { code, stderr } = await runAndCapture(argv, environment);
  return { code, stderr };
}

/** A cluster has no folder, the embedded face no servers. */
const around = (name: ServerSettingName): string[] => {
  if (name === 'dataDir' || name === 'secret') return [];
  const cluster = { nats: 'nats://127.0.0.1:1', mongodb: 'mongodb://127.0.0.1:1' };
  const other = Object.entries(cluster).flatMap(([of, url]) => (of === name ? [] : [`--${of}`, url]));
  return name in cluster ? [...other, '--secret', 'a secret for tests only'] : ['--data-dir', `${folder}/folder`];
};

async function refused(
  test: Test,
  argv: readonly string[],
  environment: Readonly<Record<string, string>>,
  named: string,
): Promise<void> {
  const checked = await said(['check-config', ...argv], environment);
  const shown = JSON.stringify([argv.slice(-1), environment]);
  if (!test.equal(checked.code, 2, `check-config ${shown}`)) return;
  test.ok(checked.stderr.startsWith('conclave: ') && checked.stderr.includes(named), checked.stderr);
  test.notMatch(checked.stderr, 'pass%zz', 'a password is not repeated');
  test.same(await said(['serve', ...argv], environment), checked, `serve ${shown}`);
}

for (const [name, values] of Object.entries(NONSENSE) as [ServerSettingName, readonly string[]][]) {
  const { option, env } = SERVER_SETTING_DECLARATIONS[name];
  t.test(`--${option}`, async (test) => {
    for (const value of values) {
      await refused(test, [...around(name), `--${option}`, value], {}, `--${option}`);
      // Many tools leave out a variable by an empty one; an environment has no NUL.
      if (value !== '') await refused(test, around(name), { [env]: value }, env);
    }
  });
}

t.test('check-config accepts no settings at all, and the usual settings of a cluster', async (test) => {
  test.same(await said(['check-config', '--data-dir', `${folder}/new/data`, '--port', '0']), { code: 0, stderr: '' });
  test.same(readdirSync(folder).includes('new'), false, 'nothing is left behind');
  const argv = [
    ...[
      '--nats',
      'nats://conclave:p%40ss@nats-0:4222,nats://nats-1:4222,nats-2',
      '--secret',
      'a secret for tests only',
    ],
    ...['--mongodb', 'mongodb://u:p@mongo1,mongo2:27018/conclave?replicaSet=rs0&authSource=admin'],
    ...['--smtp-url', 'smtps://u:p@mail.example.com:465?pool=true', '--external-host', 'chat.example.com:8443'],
    ...[
      '--host',
      '::1',
      '--port',
      '0',
      '--disposable-domains',
      `${folder}/file`,
      '--trusted-proxies',
      '10.0.0.0/8,::1',
    ],
  ];
  test.same(await said(['check-config', ...argv]), { code: 0, stderr: '' });
});

t.test('two listeners on one port are refused', async (test) => {
  for (const ops of ['127.0.0.1', '0.0.0.0']) {
    const argv = ['--data-dir', `${folder}/folder`, '--port', '9', '--ops-host', ops, '--ops-port', '9'];
    await refused(test, argv, {}, '--ops-port');
  }
});

t.test('a port in use is no configuration error: a later start may succeed', async (test) => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  test.teardown(() => void other.close());
  const { port } = other.address() as { port: number };
  for (const option of ['port', 'ops-port']) {
    const argv = ['--data-dir', `${folder}/folder`, `--${option}`, String(port)];
    const checked = await said(['check-config', ...argv]);
    test.equal(checked.code, 1);
    test.match(checked.stderr, new RegExp(`^conclave: --${option} .*127\\.0\\.0\\.1:${port} is in use`));
    test.same(await said(['serve', ...argv]), checked);
  }
});

t.test('a folder or file without access is refused', async (test) => {
  // Root may use everything.
  if (process.getuid?.() === 0) return test.pass('run as root', { skip: 'root may use everything' });
  writeFileSync(`${folder}/unreadable`, '', { mode: 0o000 });
  mkdirSync(`${folder}/locked/in`, { recursive: true });
  chmodSync(`${folder}/locked`, 0o500);
  test.teardown(() => chmodSync(`${folder}/locked`, 0o700));
  await refused(test, ['--data-dir', `${folder}/locked`], {}, '--data-dir');
  await refused(test, ['--data-dir', `${folder}/locked/new`], {}, '--data-dir');
  await refused(
    test,
    ['--data-dir', `${folder}/folder`, '--disposable-domains', `${folder}/unreadable`],
    {},
    '--disposable-domains',
  );
});
