/** What a process counts, as Prometheus reads it; with the metrics of the process itself (memory, CPU, event loop, collector). */
import { collectDefaultMetrics, type Metric as PrometheusMetric, Registry } from 'prom-client';
import type { Distribution, Metrics, Sample } from './metrics.js';
import { METRICS, type Metric, type MetricName } from './table.js';

export const METRICS_CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** One value as prom-client writes it. */
interface Line {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

let ofProcess: Registry | undefined;

/** Collectors of the process are never taken down, so that there is one set of them however many servers run in it. */
function processMetrics(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

function linesOf(name: MetricName, { labels: names }: Metric, { labels: values, value }: Sample): Line[] {
  const labels = Object.fromEntries(names.map((label, i) => [label, values[i] ?? '']));
  if (typeof value === 'number') return [{ metricName: name, labels, value }];
  return distributionLines(name, labels, value);
}

/** Buckets of the format hold everything up to their bound. */
function distributionLines(name: string, labels: Line['labels'], { bounds, counts, sum }: Distribution): Line[] {
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
export async function expose(metrics: Metrics): Promise<string> {
  const registry = new Registry();
  for (const [name, samples] of await metrics.samples()) {
    const { type, help } = METRICS[name];
    const get = async () => ({ name, help, type, values: samples.flatMap((s) => linesOf(name, METRICS[name], s)) });
    registry.registerMetric({ name, help, get } as unknown as PrometheusMetric);
  }
  return `${await registry.metrics()}\n${await processMetrics().metrics()}`;
}
