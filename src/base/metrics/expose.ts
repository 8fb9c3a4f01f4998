/** The text format of Prometheus, with the metrics of the process (memory, CPU, event loop, garbage collector). */
import { collectDefaultMetrics, type Metric as PrometheusMetric, Registry } from 'prom-client';
import type { MetricHistogramValues, MetricSample, MetricsRegistry } from './metrics.js';
import { METRIC_DECLARATIONS, type MetricDeclaration, type MetricName } from './table.js';

export const METRICS_CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** One line of the Prometheus text format: a value with its labels. */
interface ExpositionLine {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

let processRegistry: Registry | undefined;

/**
 * Collects the metrics of the process (memory, CPU, event loop). The collectors can't be stopped, so all servers in a
 * process share one set.
 */
function findOrMakeProcessRegistry(): Registry {
  if (!processRegistry) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry });
  }
  return processRegistry;
}

function makeExpositionLines(
  name: MetricName,
  { labels: names }: MetricDeclaration,
  { labels: values, value }: MetricSample,
): ExpositionLine[] {
  const labels = Object.fromEntries(names.map((label, i) => [label, values[i] ?? '']));
  if (typeof value === 'number') return [{ metricName: name, labels, value }];
  return makeHistogramLines(name, labels, value);
}

/** Lines of a histogram. Its buckets are cumulative in the text format of Prometheus. */
function makeHistogramLines(
  name: string,
  labels: ExpositionLine['labels'],
  { bounds, counts, sum }: MetricHistogramValues,
): ExpositionLine[] {
  let total = 0;
  const buckets = counts.map((count, i) => {
    total += count;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[i] ?? '+Inf' }, value: total };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ];
}

/** The text of one scrape: every declared metric, also those without a value yet. */
export async function renderMetricsForScrape(metrics: MetricsRegistry): Promise<string> {
  const registry = new Registry();
  for (const [name, samples] of await metrics.readAllSamples()) {
    const { type, help } = METRIC_DECLARATIONS[name];
    const get = async () => ({
      name,
      help,
      type,
      values: samples.flatMap((s) => makeExpositionLines(name, METRIC_DECLARATIONS[name], s)),
    });
    registry.registerMetric({ name, help, get } as unknown as PrometheusMetric);
  }
  return `${await registry.metrics()}\n${await findOrMakeProcessRegistry().metrics()}`;
}
