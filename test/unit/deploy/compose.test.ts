/** The image, compose and systemd units start this program with settings that it has. */
import { readdir, readFile } from 'node:fs/promises';
import t from 'tap';
import { RECOMMENDED_NODE_FLAGS } from '#app/config';
import { SERVER_VERSION } from '#base';
import { configOf, DEPLOY, documents, variables, type Yaml } from './support.js';

const SECRET = { CONCLAVE_SECRET: 'at least 16 characters' };

t.test('compose.yaml starts the services with valid settings', async (test) => {
  const [{ services, volumes }] = await documents('compose.yaml');
  const ours = Object.entries<Yaml>(services).filter(([, { image }]) => image === 'conclave');
  test.strictSame(
    ours.map(([name]) => name),
    ['actors1', 'actors2', 'frontend1', 'frontend2'],
  );
  for (const [name, { command, environment, healthcheck, stop_grace_period, volumes: mounts = [] }] of ours) {
    const config = configOf(command, { ...environment, ...SECRET });
    test.equal(config.role, name.startsWith('actors') ? 'actors' : 'http');
    for (const url of [config.nats, config.mongodb]) test.ok(services[new URL(url!).hostname], url!);
    test.match(
      healthcheck.test.join(' '),
      `127.0.0.1:${config.opsPort}/health/ready`,
      'it is asked whether it is ready',
    );
    test.ok(Number.parseInt(stop_grace_period, 10) >= config.leaveSeconds + config.deadlineSeconds + 10);
    for (const mount of mounts) test.ok(Object.hasOwn(volumes, mount.split(':')[0]), mount);
  }
});

t.test('the image has the port, volume, version and Node flags of the program', async (test) => {
  const dockerfile = await readFile(`${DEPLOY}/Dockerfile`, 'utf8');
  const given = /^ENV (.*)$/m.exec(dockerfile)?.[1] ?? '';
  const environment = variables(given.replaceAll(' ', '\n'));
  const config = configOf(['serve'], environment);
  test.match(dockerfile, `EXPOSE ${config.port}`);
  test.match(dockerfile, `VOLUME ${config.dataDir}`);
  const { version, scripts } = JSON.parse(await readFile('package.json', 'utf8'));
  test.equal(version, SERVER_VERSION);
  const flags = RECOMMENDED_NODE_FLAGS.join(' ');
  test.equal(scripts.start, `exec node ${flags} dist/program/main.js serve`);
  const [, entry = '[]'] = /^ENTRYPOINT (.*)$/m.exec(dockerfile) ?? [];
  test.same(JSON.parse(entry), ['node', ...RECOMMENDED_NODE_FLAGS, 'dist/program/main.js']);
});

t.test('systemd units have valid commands and settings', async (test) => {
  const units = (await readdir(`${DEPLOY}/systemd`)).filter((name) => name.endsWith('.service'));
  test.equal(units.length, 4);
  const files: Record<string, Record<string, string>> = {};
  for (const name of ['conclave.env', 'cluster.env']) {
    files[name] = variables(await readFile(`${DEPLOY}/systemd/${name}.example`, 'utf8'));
  }
  for (const unit of units) {
    const text = await readFile(`${DEPLOY}/systemd/${unit}`, 'utf8');
    const values = (key: string): string[] => [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, v]) => v!);
    const own = variables(
      values('Environment')
        .join(' ')
        .replaceAll('%i', '2')
        .replace(/ ?KEEP_DAYS=\d+/, '')
        .replaceAll(' ', '\n'),
    );
    const shared = values('EnvironmentFile').map((file) => /([^/]+\.env)$/.exec(file)![1]!);
    const environment = Object.assign({}, own, ...shared.map((name) => files[name] ?? {}));
    if (environment.CONCLAVE_SECRET !== undefined) {
      const { CONCLAVE_SECRET } = environment;
      test.throws(
        () => configOf(['serve'], { CONCLAVE_SECRET }),
        /is that of an example/,
        'whoever copies it makes one',
      );
      Object.assign(environment, SECRET);
    }
    if (unit === 'conclave-backup.service') {
      test.match(values('ExecStart')[0], / backup \/var\/lib\/conclave-backups\//);
      test.equal(configOf(['serve'], environment).dataDir, '/var/lib/conclave');
      continue;
    }
    test.match(values('ExecStart')[0], `node ${RECOMMENDED_NODE_FLAGS.join(' ')} /opt`);
    const [, command = ''] = /dist\/program\/main\.js (.*)$/.exec(values('ExecStart')[0]!)!;
    const config = configOf(command.split(' '), environment);
    test.equal(config.role, unit.includes('frontend') ? 'http' : unit.includes('actors') ? 'actors' : 'all');
    test.ok(config.opsPort > 0, 'a port that can be scraped');
    test.same(values('RestartPreventExitStatus'), ['2'], 'a wrong configuration is not tried for ever');
    test.match(values('ExecStartPost')[0], /OPS_PORT\}\/health\/ready$/);
    test.ok(Number(values('TimeoutStopSec')[0]) >= config.leaveSeconds + config.deadlineSeconds + 10);
    for (const line of ['NoNewPrivileges=yes', 'ProtectSystem=strict', 'CapabilityBoundingSet=', 'PrivateTmp=yes']) {
      test.ok(text.includes(`\n${line}\n`), `${unit}: ${line}`);
    }
    test.equal(text.includes('DynamicUser=yes'), config.role !== 'all', 'who keeps data has a name');
    if (config.role === 'all') test.match(values('StateDirectory')[0], /^conclave /);
  }
});
