/**
 * Metrics of one process. A counter is an object that its user keeps and increments; gauges are read at a scrape.
 * The format of Prometheus is in expose.ts.
 */
import {
  type CounterName,
  type GaugeName,
  type HistogramName,
  METRIC_DECLARATIONS,
  type MetricLabelValues,
  type MetricName,
} from './table.js';

/** The counter of one combination of labels; `n` only grows. */
export interface MetricCounterSeries {
  n: number;
}

/** The histogram of one combination of labels. */
export class MetricHistogramSeries {
  /** Number of values per bucket, not cumulative; the last bucket takes the values above all bounds. */
  readonly counts: number[];
  sum = 0;

  constructor(readonly bounds: readonly number[]) {
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    const { bounds } = this;
    let i = 0;
    while (i < bounds.length && value > bounds[i]!) i++;
    this.counts[i]!++;
    this.sum += value;
  }
}

/** Values read at a scrape: one number, or one for each set of labels. */
type MetricReading<N extends MetricName> = number | Iterable<readonly [labels: MetricLabelValues<N>, value: number]>;

/** Values of a histogram at a scrape. */
export interface MetricHistogramValues {
  readonly bounds: readonly number[];
  /** Number of values per bucket, as in `MetricHistogramSeries`. */
  readonly counts: readonly number[];
  readonly sum: number;
}

export interface MetricSample {
  readonly labels: readonly string[];
  readonly value: number | MetricHistogramValues;
}

/** Reads the samples of other processes, by metric; a metric may occur several times. */
type RemoteSamplesReader = () => Promise<readonly (readonly [name: MetricName, samples: readonly MetricSample[]])[]>;

/** Adds up the samples with the same labels. */
function addSamplesByLabels(samples: readonly MetricSample[]): MetricSample[] {
  const sums = new Map<string, MetricSample>();
  for (const sample of samples) {
    const key = sample.labels.join(LABEL_SEPARATOR);
    const before = sums.get(key);
    sums.set(key, before ? { labels: sample.labels, value: addSampleValues(before.value, sample.value) } : sample);
  }
  return [...sums.values()];
}

function addSampleValues(one: MetricSample['value'], other: MetricSample['value']): MetricSample['value'] {
  if (typeof one === 'number' || typeof other === 'number') return Number(one) + Number(other);
  return { bounds: one.bounds, counts: one.counts.map((n, i) => n + other.counts[i]!), sum: one.sum + other.sum };
}

/** Largest number of series of a metric; further label values count as 'other', so that a bug cannot fill memory. */
const MAX_SERIES_PER_METRIC = 2_000;
const OTHER_LABEL_VALUE = 'other';
const LABEL_SEPARATOR = '\u0000';

type SeriesByLabels = Map<
  string,
  { readonly labels: readonly string[]; readonly value: MetricCounterSeries | MetricHistogramSeries }
>;
type MetricReader = () => MetricReading<MetricName> | Promise<MetricReading<MetricName>>;

export class MetricsRegistry {
  readonly #seriesByMetricName = new Map<MetricName, SeriesByLabels>();
  readonly #readersByMetricName = new Map<MetricName, MetricReader[]>();
  readonly #beforeReadingCallbacks: (() => void | Promise<void>)[] = [];
  readonly #remoteSampleReaders: RemoteSamplesReader[] = [];

  /** Adds 1 to a counter. On hot paths, keep the object that `findOrCreateCounter` returns instead. */
  increment<N extends CounterName>(name: N, ...labels: MetricLabelValues<N>): void {
    this.findOrCreateCounter(name, ...labels).n++;
  }

  /**
   * The counter with these labels: the same object at each call. Scrapes show the counter from the first call on, even
   * while it is 0.
   */
  findOrCreateCounter<N extends CounterName>(name: N, ...labels: MetricLabelValues<N>): MetricCounterSeries {
    return this.#findOrCreateSeries(name, labels, () => ({ n: 0 })) as MetricCounterSeries;
  }

  /** The histogram with these labels, of values in the unit that the metric's name ends with. */
  findOrCreateHistogram<N extends HistogramName>(name: N, ...labels: MetricLabelValues<N>): MetricHistogramSeries {
    return this.#findOrCreateSeries(
      name,
      labels,
      () => new MetricHistogramSeries(METRIC_DECLARATIONS[name].buckets),
    ) as MetricHistogramSeries;
  }

  /**
   * Registers a function that each scrape calls for the values of a metric; if the function throws or takes longer than
   * 2 s, the metric has no value in that scrape.
   */
  addReader<N extends CounterName | GaugeName>(
    name: N,
    reader: () => MetricReading<N> | Promise<MetricReading<N>>,
  ): void {
    const readers = this.#readersByMetricName.get(name) ?? [];
    readers.push(reader as MetricReader);
    this.#readersByMetricName.set(name, readers);
  }

  /** Registers a step that runs before the readers of each scrape and gathers data that several of them need. */
  addStepBeforeReading(gather: () => void | Promise<void>): void {
    this.#beforeReadingCallbacks.push(gather);
  }

  /** Registers other processes of this server: their samples are added to those of this process at each scrape. */
  addRemoteSamples(read: RemoteSamplesReader): void {
    this.#remoteSampleReaders.push(read);
  }

  /** Reads every declared metric with its samples. */
  async readAllSamples(): Promise<ReadonlyMap<MetricName, readonly MetricSample[]>> {
    for (const gather of this.#beforeReadingCallbacks) await readOrUndefined(gather);
    const remote = (await Promise.all(this.#remoteSampleReaders.map(readOrUndefined))).flatMap((read) => read ?? []);
    const samples = new Map<MetricName, readonly MetricSample[]>();
    for (const name of Object.keys(METRIC_DECLARATIONS) as MetricName[]) {
      const own = await this.#readSamplesOfMetric(name);
      const others = remote.flatMap(([remoteName, list]) => (remoteName === name ? list : []));
      samples.set(name, others.length > 0 ? addSamplesByLabels([...own, ...others]) : own);
    }
    return samples;
  }

  async #readSamplesOfMetric(name: MetricName): Promise<MetricSample[]> {
    const samples: MetricSample[] = [];
    for (const { labels, value } of this.#seriesByMetricName.get(name)?.values() ?? []) {
      samples.push({ labels, value: value instanceof MetricHistogramSeries ? value : value.n });
    }
    for (const reader of this.#readersByMetricName.get(name) ?? []) {
      const reading = await readOrUndefined(reader);
      if (reading === undefined) continue;
      if (typeof reading === 'number') samples.push({ labels: [], value: reading });
      else for (const [labels, value] of reading) samples.push({ labels: labels as readonly string[], value });
    }
    return samples;
  }

  #findOrCreateSeries(
    name: MetricName,
    labels: readonly string[],
    make: () => MetricCounterSeries | MetricHistogramSeries,
  ): MetricCounterSeries | MetricHistogramSeries {
    let series = this.#seriesByMetricName.get(name);
    if (!series) {
      series = new Map();
      this.#seriesByMetricName.set(name, series);
    }
    const key = labels.length === 1 ? labels[0]! : labels.join(LABEL_SEPARATOR);
    const known = series.get(key);
    if (known) return known.value;
    const full = series.size >= MAX_SERIES_PER_METRIC && labels.some((label) => label !== OTHER_LABEL_VALUE);
    if (full)
      return this.#findOrCreateSeries(
        name,
        labels.map(() => OTHER_LABEL_VALUE),
        make,
      );
    const value = make();
    series.set(key, { labels, value });
    return value;
  }
}

/** Time limit of one reader of a metric, ms; Prometheus gives up a scrape after 10 s. */
const METRIC_READER_TIMEOUT_MS = 2_000;

/**
 * The value that a reader returns; undefined if it fails or takes too long: one unreachable source must not cost the
 * whole scrape.
 */
async function readOrUndefined<T>(read: () => T | Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  try {
    const reading = read();
    if (!(reading instanceof Promise)) return reading;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), METRIC_READER_TIMEOUT_MS);
    });
    return await Promise.race([reading, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
