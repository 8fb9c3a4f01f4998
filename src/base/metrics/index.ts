/**
 * Metrics: `table.ts` declares every metric once (name, type, labels, help); `Metrics` counts and reads them in one
 * process; `expose` writes the text format of Prometheus. Names and labels are a contract with dashboards and never
 * change. A metric has at most 2,000 series.
 */
export { expose, METRICS_CONTENT_TYPE } from './expose.js';
export { type Count, Distribution, Metrics } from './metrics.js';
export { type CounterName, type GaugeName, type LabelValues, METRICS, type Metric, type MetricName } from './table.js';
