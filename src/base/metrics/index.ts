/**
 * Metrics: `table.ts` declares every metric once (name, type, labels, help); `Metrics` counts and reads them in one
 * process; `exposeMetrics` writes the text format of Prometheus. Names and labels are a contract with dashboards and
 * never change. A metric has at most 2,000 series.
 */
export { exposeMetrics, METRICS_CONTENT_TYPE } from './expose.js';
export { type CounterSeries, HistogramSeries, Metrics } from './metrics.js';
export {
  type CounterName,
  type GaugeName,
  type LabelValues,
  METRICS,
  type MetricDeclaration,
  type MetricName,
} from './table.js';
