import t from 'tap';
import { METRIC_DECLARATIONS, type MetricName, MetricsRegistry, renderMetricsForScrape } from '#base/metrics';
import { parseMetrics } from '../../support/metrics-text.js';

t.test('names, units and labels follow the conventions of Prometheus', (t) => {
  for (const [name, { type, help, labels }] of Object.entries(METRIC_DECLARATIONS)) {
    t.match(name, /^conclave_[a-z]+(_[a-z]+)*$/);
    t.equal(name.endsWith('_total'), type === 'counter', `${name}: counters, and only they, end in _total`);
    if (type === 'histogram') t.match(name, /_(seconds|commands)$/, 'the unit is in the name');
    t.match(help, /^[A-Z0-9][^\n]*\.$/, `${name}: one line`);
    for (const label of labels) t.match(label, /^[a-z]+$/);
  }
  t.end();
});

t.test('an empty process shows every declared metric, and those of the process itself', async (t) => {
  const shown = parseMetrics(await renderMetricsForScrape(new MetricsRegistry()));
  const missing = Object.entries(METRIC_DECLARATIONS).filter(([name, { type }]) => shown.types.get(name) !== type);
  t.strictSame(missing, []);
  t.ok(shown.types.has('process_cpu_seconds_total'));
  t.ok(shown.types.has('nodejs_eventloop_lag_seconds'));
});

t.test('a set of labels has one counter object', async (t) => {
  const metrics = new MetricsRegistry();
  const sends = metrics.findOrCreateCounter('conclave_http_requests_total', 'send-message', '200');
  sends.n += 2;
  metrics.increment('conclave_http_requests_total', 'send-message', '200');
  metrics.increment('conclave_http_requests_total', 'send-message', '400');
  metrics.findOrCreateCounter('conclave_http_rate_limited_total', 'user');
  const { value } = parseMetrics(await renderMetricsForScrape(metrics));
  t.equal(value('conclave_http_requests_total', { operation: 'send-message', status: '200' }), 3);
  t.equal(value('conclave_http_requests_total', { operation: 'send-message', status: '400' }), 1);
  t.equal(value('conclave_http_rate_limited_total', { limit: 'user' }), 0, 'known, though it is still 0');
  t.equal(value('conclave_http_rate_limited_total', { limit: 'address' }), undefined);
});

t.test('a bucket counts values up to its bound, including all smaller ones', async (t) => {
  const metrics = new MetricsRegistry();
  const commands = metrics.findOrCreateHistogram('conclave_commit_commands', 'user');
  for (const n of [1, 1, 2, 3, 5_000]) commands.observe(n);
  const { value } = parseMetrics(await renderMetricsForScrape(metrics));
  const upTo = (le: string) => value('conclave_commit_commands_bucket', { kind: 'user', le });
  t.strictSame([upTo('1'), upTo('2'), upTo('4'), upTo('1024'), upTo('+Inf')], [2, 3, 4, 4, 5]);
  t.equal(value('conclave_commit_commands_sum', { kind: 'user' }), 5_007);
  t.equal(value('conclave_commit_commands_count', { kind: 'user' }), 5);
});

t.test('values read at the scrape are gathered once before it', async (t) => {
  const metrics = new MetricsRegistry();
  let gathered = 0;
  metrics.addStepBeforeReading(() => {
    gathered++;
  });
  metrics.addReader('conclave_http_held_polls', () => gathered);
  metrics.addReader('conclave_queues', async () => [[['idle'], 4] as const, [['polling'], gathered] as const]);
  const { value } = parseMetrics(await renderMetricsForScrape(metrics));
  t.equal(value('conclave_http_held_polls', {}), 1);
  t.equal(value('conclave_queues', { phase: 'polling' }), 1);
  t.equal(value('conclave_queues', { phase: 'idle' }), 4);
});

t.test('a failing source costs its own metric only', async (t) => {
  const metrics = new MetricsRegistry();
  metrics.addStepBeforeReading(() => Promise.reject(new Error('away')));
  metrics.addReader('conclave_queues', () => {
    throw new Error('away');
  });
  metrics.addReader('conclave_log_realms', () => Promise.reject(new Error('away')));
  metrics.addReader('conclave_http_held_polls', () => 7);
  const shown = parseMetrics(await renderMetricsForScrape(metrics));
  t.equal(shown.value('conclave_http_held_polls', {}), 7);
  t.equal(shown.value('conclave_log_realms', {}), undefined);
  t.ok(shown.types.has('conclave_queues'));
});

t.test('series of one metric are bounded, for any label values', async (t) => {
  const metrics = new MetricsRegistry();
  for (let i = 0; i < 5_000; i++) metrics.increment('conclave_http_requests_total', `made up ${i}`, '200');
  const series = [...(await metrics.readAllSamples()).get('conclave_http_requests_total' as MetricName)!];
  t.ok(series.length <= 2_001, `${series.length} series`);
  const total = series.reduce((sum, { value }) => sum + (value as number), 0);
  t.equal(total, 5_000, 'and nothing is uncounted');
});

t.test('labels with quotes, line ends and backslashes do not break the text', async (t) => {
  const metrics = new MetricsRegistry();
  const odd = 'a"b\\c\nd{}';
  metrics.increment('conclave_http_rate_limited_total', odd);
  t.equal(
    parseMetrics(await renderMetricsForScrape(metrics)).value('conclave_http_rate_limited_total', { limit: odd }),
    1,
  );
});
