/**
 * Metrics: `table.ts` declares every metric once (name, type, labels, help); `MetricsRegistry` counts and reads them in
 * one process; `renderMetricsForScrape` writes the text format of Prometheus. Names and labels are a contract with
 * dashboards and never change. A metric has at most 2,000 series.
 */
export { METRICS_CONTENT_TYPE, renderMetricsForScrape } from './expose.js';
export { type MetricCounterSeries, MetricHistogramSeries, type MetricSample, MetricsRegistry } from './metrics.js';
export {
  type CounterName,
  type GaugeName,
  METRIC_DECLARATIONS,
  type MetricDeclaration,
  type MetricLabelValues,
  type MetricName,
} from './table.js';
