/** The manifests are about this program: its options, its ports, its pages, its times. */
import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import t from 'tap';
import { createHealthPages, createOpsPages, HealthMonitor } from '#app/ops';
import { SERVER_VERSION } from '#base';
import { MetricsRegistry } from '#base/metrics';
import { natsServerBinary } from '../../support/nats.js';
import { configOf, DEPLOY, documents, type Yaml } from './support.js';

const BASE = 'kubernetes/base';
const EXAMPLES = 'kubernetes/examples';
/** A poll is answered within this time; clients allow for a minute and a half. */
const LONGEST_POLL_SECONDS = 90;

const inFolder = async (folder: string): Promise<Map<string, Yaml[]>> => {
  const files = (await readdir(`${DEPLOY}/${folder}`)).filter((name) => name.endsWith('.yaml'));
  return new Map(await Promise.all(files.map(async (name) => [name, await documents(`${folder}/${name}`)] as const)));
};

const base = await inFolder(BASE);
const examples = await inFolder(EXAMPLES);
const [secret] = await documents('kubernetes/secret.example.yaml');
const all: Yaml[] = [...base.values(), ...examples.values()].flat();
const one = (kind: string, name: string): Yaml => {
  const found = all.filter((document) => document.kind === kind && document.metadata.name === name);
  if (found.length !== 1) throw new Error(`${found.length} of ${kind} ${name}`);
  return found[0];
};
const workloads = {
  'conclave-frontends': one('Deployment', 'conclave-frontends'),
  'conclave-actors': one('Deployment', 'conclave-actors'),
};
const entries = Object.entries(workloads);
const podOf = (workload: Yaml): Yaml => workload.spec.template.spec;
const mainOf = (workload: Yaml): Yaml => podOf(workload).containers[0];
const portOf = (container: Yaml, name: string): number =>
  container.ports.find((port: Yaml) => port.name === name).containerPort;

const environmentOf = (container: Yaml): Record<string, string> => ({
  ...one('ConfigMap', 'conclave').data,
  ...secret.stringData,
  CONCLAVE_SECRET: 'at least 16 characters',
  ...Object.fromEntries(container.env.map(({ name, value }: Yaml) => [name, value])),
});
const configOfContainer = (container: Yaml) => configOf(container.args, environmentOf(container));

t.test('every manifest names its kind, and the kustomizations name every manifest', async (test) => {
  for (const document of all) test.ok(document.kind && document.apiVersion);
  for (const [folder, files] of [
    [BASE, base],
    [EXAMPLES, examples],
  ] as const) {
    const [kustomization] = files.get('kustomization.yaml')!;
    const text = await readFile(`${DEPLOY}/${folder}/kustomization.yaml`, 'utf8');
    for (const name of files.keys()) {
      if (name !== 'kustomization.yaml') test.match(text, `- ${name}`, `${folder}/${name}`);
    }
    for (const name of kustomization.resources) test.ok(name === '../base' || files.has(name), name);
  }
  test.equal(base.get('kustomization.yaml')![0].images[0].newTag, SERVER_VERSION);
  for (const [name, { spec }] of entries) {
    test.strictSame(spec.selector.matchLabels, spec.template.metadata.labels, name);
    test.strictSame(one('PodDisruptionBudget', name).spec.selector, spec.selector);
    test.equal(one('PodDisruptionBudget', name).spec.maxUnavailable, 1);
    for (const { labelSelector } of podOf({ spec }).topologySpreadConstraints) {
      test.strictSame(labelSelector, spec.selector);
    }
  }
});

t.test('the secret of the example is refused, so that every copy gets its own', async (test) => {
  const { CONCLAVE_SECRET } = secret.stringData;
  test.throws(() => configOf(['serve'], { CONCLAVE_SECRET }), /CONCLAVE_SECRET: is that of an example/);
});

t.test('processes start with the settings in their manifests', async (test) => {
  for (const [name, workload] of entries) {
    const container = mainOf(workload);
    test.strictSame(
      container.envFrom,
      [{ configMapRef: { name: 'conclave' } }, { secretRef: { name: secret.metadata.name } }],
      name,
    );
    const config = configOfContainer(container);
    test.equal(config.role, name === 'conclave-actors' ? 'actors' : 'http');
    test.equal(config.opsHost, '0.0.0.0');
    test.equal(portOf(container, 'ops'), config.opsPort);
    test.equal(config.natsReplicas, one('StatefulSet', 'nats').spec.replicas);
    const heap = Number(/--max-old-space-size=(\d+)/.exec(environmentOf(container).NODE_OPTIONS!)?.[1]);
    test.equal(container.resources.limits.memory, `${(heap * 4) / 3 / 1024}Gi`, 'the heap is 3/4 of the limit');
    test.notOk(container.resources.limits.cpu, 'throttled hosts lose leases');
  }
  const frontend = mainOf(workloads['conclave-frontends']);
  const config = configOfContainer(frontend);
  test.strictSame([config.host, config.port], ['0.0.0.0', portOf(frontend, 'http')]);
  const [{ targetPort, name }] = one('Service', 'conclave').spec.ports;
  test.ok(portOf(frontend, targetPort));
  const ingress = one('Ingress', 'conclave');
  for (const { http, host } of ingress.spec.rules) {
    test.strictSame(http.paths[0].backend.service, { name: 'conclave', port: { name } });
    test.ok(host.endsWith(config.externalHost));
    test.ok(ingress.spec.tls[0].hosts.includes(host));
  }
  test.equal(config.externalScheme, 'https');
});

t.test('NATS accepts any letters and digits as its password', async (test) => {
  const binary = natsServerBinary();
  if (!binary) return;
  const given: Record<string, string> = { NATS_USER: '12', NATS_PASSWORD: '0123456789', POD_NAME: 'nats-0' };
  const environment: Record<string, string> = {};
  for (const { name, value = given[name] } of mainOf(one('StatefulSet', 'nats')).env as {
    name: string;
    value?: string;
  }[]) {
    environment[name] = value!.replaceAll(/\$\((\w+)\)/g, (_, of: string) => environment[of]!);
  }
  const conf = `${test.testdir({ 'nats.conf': one('ConfigMap', 'nats').data['nats.conf'] })}/nats.conf`;
  const { status, stdout, stderr } = spawnSync(binary, ['-t', '-c', conf], { env: environment, encoding: 'utf8' });
  test.equal(status, 0, `${stdout}${stderr}`);
});

t.test('probes request pages that exist', async (test) => {
  const metrics = new MetricsRegistry();
  const pages = new Set([
    ...createOpsPages(new HealthMonitor(), metrics).keys(),
    ...createHealthPages(new HealthMonitor()).keys(),
  ]);
  for (const [name, workload] of entries) {
    const container = mainOf(workload);
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      const { path, port } = container[probe].httpGet;
      test.ok(pages.has(path), `${name} ${probe} ${path}`);
      test.equal(port, 'ops');
    }
    test.match(container.readinessProbe.httpGet.path, '/health/ready');
    test.match(container.livenessProbe.httpGet.path, '/health/live', 'no restart because NATS is away');
  }
  const [endpoint] = one('PodMonitor', 'conclave').spec.podMetricsEndpoints;
  test.ok(pages.has(endpoint.path));
  test.equal(endpoint.port, 'ops');
});

t.test('the grace period suffices to leave and to end a waiting poll', async (test) => {
  for (const [name, workload] of entries) {
    const container = mainOf(workload);
    const { leaveSeconds, deadlineSeconds } = configOfContainer(container);
    // Requests under way end by their deadline; a hand-over takes 20 seconds at most.
    test.ok(podOf(workload).terminationGracePeriodSeconds >= leaveSeconds + deadlineSeconds + 10, name);
    const { periodSeconds, failureThreshold } = container.readinessProbe;
    if (name === 'conclave-frontends') test.ok(leaveSeconds > periodSeconds * failureThreshold, 'somebody notices');
    test.strictSame(workload.spec.strategy.rollingUpdate, { maxSurge: 1, maxUnavailable: 0 }, 'one at a time');
    test.ok(workload.spec.minReadySeconds > 0);
  }
  const annotations = one('Ingress', 'conclave').metadata.annotations;
  for (const way of ['read', 'send']) {
    test.ok(Number(annotations[`nginx.ingress.kubernetes.io/proxy-${way}-timeout`]) > LONGEST_POLL_SECONDS);
  }
  const { maxFileMib } = configOfContainer(mainOf(workloads['conclave-frontends']));
  test.ok(Number.parseInt(annotations['nginx.ingress.kubernetes.io/proxy-body-size'], 10) > maxFileMib);
});

t.test('no account has rights beyond its needs', async (test) => {
  for (const workload of [...Object.values(workloads), one('StatefulSet', 'nats')]) {
    const { name } = workload.metadata;
    const pod = podOf(workload);
    test.equal(pod.automountServiceAccountToken, false, name);
    test.match(pod.securityContext, { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } }, name);
    test.ok(pod.securityContext.runAsUser > 0, name);
    for (const container of pod.containers) {
      test.strictSame(
        container.securityContext,
        { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
        name,
      );
      test.ok(container.resources.requests.memory && container.resources.limits.memory, name);
    }
  }
});

t.test('the network policy admits the connections of the processes, by the names of their ports', async (test) => {
  const frontend = mainOf(workloads['conclave-frontends']);
  const nats = mainOf(one('StatefulSet', 'nats'));
  for (const policy of all.filter(({ kind }) => kind === 'NetworkPolicy')) {
    for (const { ports } of policy.spec.ingress ?? []) {
      for (const { port } of ports) {
        test.ok(portOf(policy.metadata.name === 'nats' ? nats : frontend, port), `${policy.metadata.name} ${port}`);
      }
    }
  }
  const out: Yaml[] = one('NetworkPolicy', 'conclave-out').spec.egress.flatMap(({ ports }: Yaml) => ports);
  const { nats: natsUrl, mongodb } = configOfContainer(frontend);
  for (const url of [natsUrl!, mongodb!]) {
    for (const [, port] of url
      .split('@')
      .join(',')
      .matchAll(/[^:/,@]+:(\d+)(?=[,/]|$)/g)) {
      test.ok(
        out.some((rule) => rule.port === Number(port)),
        `out: ${port}`,
      );
    }
  }
  const conf: string = one('ConfigMap', 'nats').data['nats.conf'];
  test.match(conf, `port: ${portOf(nats, 'client')}`);
  test.match(conf, `http_port: ${portOf(nats, 'monitor')}`);
  test.match(conf, /jetstream \{[^}]*sync_interval: always/);
});
