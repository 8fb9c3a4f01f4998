/** Rules and board ask for metrics that there are, and docs/operations.md explains every panel and alert. */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { collectDefaultMetrics, Registry } from 'prom-client';
import t, { type Test } from 'tap';
import { METRIC_DECLARATIONS, type MetricDeclaration } from '#base/metrics';
import { DEPLOY, documents, type Yaml } from './support.js';

const operations = await readFile('docs/operations.md', 'utf8');
const [{ groups }] = await documents('prometheus/rules.yaml');
const rules: Yaml[] = groups.flatMap((group: Yaml) => group.rules);
const [{ tests }] = await documents('prometheus/rules.test.yaml');
const board = JSON.parse(await readFile(`${DEPLOY}/grafana/conclave.json`, 'utf8')) as Yaml;
const panels: Yaml[] = board.panels.filter(({ type }: Yaml) => type !== 'row');

const registry = new Registry();
collectDefaultMetrics({ register: registry });
const ofProcess = new Set(registry.getMetricsAsArray().map(({ name }) => name));
registry.clear();
const recorded = new Set(rules.flatMap(({ record }) => (record ? [record] : [])));
const declared = METRIC_DECLARATIONS as Readonly<Record<string, MetricDeclaration>>;
/** Labels added by Prometheus. */
const TARGET = ['job', 'instance'];

/** Labels of a stored series; undefined if there is no such metric. */
function labelsOf(series: string): readonly string[] | undefined {
  if (recorded.has(series)) return ['job', 'operation', 'status', 'phase'];
  if (series === 'up' || ofProcess.has(series)) return TARGET;
  const [, base = series, part] = /^(.*)_(bucket|sum|count)$/.exec(series) ?? [];
  const histogram = declared[base];
  if (part && histogram?.type === 'histogram') {
    return [...TARGET, ...histogram.labels, ...(part === 'bucket' ? ['le'] : [])];
  }
  const metric = declared[series];
  return metric && metric.type !== 'histogram' ? [...TARGET, ...metric.labels] : undefined;
}

/** Every series of an expression with the labels by which it is chosen. */
function check(test: Test, expr: string, where: string): void {
  const series = [...expr.matchAll(/\b(conclave[a-z0-9_:]*|process_[a-z_]+|nodejs_[a-z_]+|up)\b(?:\{([^}]*)\})?/g)];
  test.ok(series.length > 0, `${where} asks for something`);
  const known = new Set<string>();
  for (const [, name = '', selector = ''] of series) {
    if (name === 'conclave') continue;
    const labels = labelsOf(name);
    test.ok(labels, `${where}: ${name}`);
    for (const label of labels ?? []) known.add(label);
    for (const [, label = ''] of selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)) {
      test.ok(labels?.includes(label), `${where}: ${name}{${label}}`);
    }
  }
  for (const [, list = ''] of expr.matchAll(/\b(?:by|on|without|ignoring)\s*\(([^)]*)\)/g)) {
    for (const label of list.split(',').map((text) => text.trim())) {
      test.ok(known.has(label), `${where}: by ${label}`);
    }
  }
}

t.test('alert rules use declared metrics and labels', async (test) => {
  test.ok(rules.length > 20);
  for (const { expr, record, alert } of rules) check(test, expr, record ?? alert);
  for (const { labels, annotations, alert } of rules.filter((rule) => rule.alert)) {
    test.match(labels.severity, /^(critical|warning|info)$/, alert);
    test.ok(annotations.summary, alert);
  }
});

t.test('tests of the rules use existing series, and cover every alert', async (test) => {
  for (const { name, input_series } of tests) {
    for (const { series } of input_series) {
      if (series === 'up{job="other"}') continue;
      check(test, series, name);
    }
  }
  const fired = new Set(
    tests.flatMap(({ alert_rule_test = [] }: Yaml) =>
      alert_rule_test.filter((one: Yaml) => one.exp_alerts).map((one: Yaml) => one.alertname),
    ),
  );
  for (const { alert } of rules.filter((rule) => rule.alert)) test.ok(fired.has(alert), `${alert} fires in a test`);
});

t.test('promtool confirms that every alert fires when it should', async (test) => {
  const { error, stdout, stderr } = spawnSync('promtool', ['test', 'rules', `${DEPLOY}/prometheus/rules.test.yaml`], {
    encoding: 'utf8',
  });
  if (error) {
    const message = 'no promtool: apt-get install prometheus';
    if (process.env.CI) test.fail(message);
    else test.pass(`skipped: ${message}`, { skip: message });
    return;
  }
  test.match(stdout, 'SUCCESS', `${stdout}${stderr}`);
  test.notMatch(stdout, 'FAILED');
});

t.test('the dashboard uses declared metrics and labels', async (test) => {
  test.ok(panels.length > 20);
  const variables = new Set<string>(board.templating.list.map(({ name }: Yaml) => name));
  for (const { title, targets, datasource } of panels) {
    for (const { expr } of targets) {
      check(test, expr, title);
      for (const [, name] of expr.matchAll(/\$(\w+)/g)) {
        test.ok(variables.has(name) || name === '__rate_interval', `${title}: $${name}`);
      }
    }
    test.equal(datasource.uid, `\${datasource}`);
  }
  const ids = board.panels.map(({ id }: Yaml) => id);
  test.equal(new Set(ids).size, ids.length);
});

const section = (title: string): string => {
  const [, text] = operations.split(`\n## ${title}\n`);
  if (text === undefined) throw new Error(`docs/operations.md has no section ${title}`);
  return text.split('\n## ')[0]!;
};

/** First cells of the table rows, without marks. */
const rowsOf = (text: string): string[] =>
  [...text.matchAll(/^\| ([^|]+?) \|/gm)]
    .map(([, cell]) => cell!.replaceAll('`', ''))
    .filter((cell) => !/^-+$/.test(cell));

t.test(
  'every panel and every alert has its row in docs/operations.md, in order, and no row is left over',
  async (test) => {
    const titles = panels.map(({ title }) => title);
    test.strictSame(
      rowsOf(section('The board')).filter((cell) => cell !== 'panel'),
      titles,
    );
    const alerts = rules.flatMap(({ alert }) => (alert ? [alert] : []));
    test.strictSame(
      rowsOf(section('Alerts')).filter((cell) => cell !== 'alert'),
      alerts,
    );
  },
);
