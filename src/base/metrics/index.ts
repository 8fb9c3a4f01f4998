export { expose, METRICS_CONTENT_TYPE } from './expose.js';
export { type Count, Distribution, Metrics, type Reading, type Sample } from './metrics.js';
export {
  type CounterName,
  type GaugeName,
  type HistogramName,
  type LabelValues,
  METRICS,
  type Metric,
  type MetricName,
} from './table.js';
