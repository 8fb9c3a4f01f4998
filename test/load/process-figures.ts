/** Figures of one server process over a time span, from repeated reads of its `/metrics`. */
import type { MetricName } from '#base/metrics';
import type { MetricsText } from '../support/metrics-text.js';

/** Standard process metrics that rules read. */
type ProcessMetric =
  | 'process_cpu_seconds_total'
  | 'process_open_fds'
  | 'process_max_fds'
  | 'process_resident_memory_bytes'
  | 'nodejs_gc_duration_seconds';
export type ReadMetric = MetricName | ProcessMetric;

export interface Scrape {
  /** Time of the read, ms. */
  readonly at: number;
  readonly samples: MetricsText['samples'];
}

type Labels = Readonly<Record<string, string>>;
type MetricSample = Scrape['samples'][number];

const hasLabels = ({ labels }: MetricSample, wanted: Labels): boolean =>
  Object.entries(wanted).every(([label, value]) => labels[label] === value);

const sumOf = ({ samples }: Scrape, name: string, labels: Labels): number | undefined => {
  const matching = samples.filter((sample) => sample.name === name && hasLabels(sample, labels));
  return matching.length === 0 ? undefined : matching.reduce((sum, { value }) => sum + value, 0);
};

export class ProcessFigures {
  readonly #first: Scrape;
  readonly #last: Scrape;

  /** @param scrapes at least one read, in order */
  constructor(
    readonly address: string,
    private readonly scrapes: readonly Scrape[],
  ) {
    this.#first = scrapes[0]!;
    this.#last = scrapes.at(-1)!;
  }

  /** Role `http`, `actors` or `all`; undefined if the process is not a Conclave server. */
  get role(): string | undefined {
    return this.#build?.labels.role;
  }

  get isEmbedded(): boolean {
    return this.#build?.labels.face === 'embedded';
  }

  /** Name of the process in the report. */
  get name(): string {
    const names: Readonly<Record<string, string>> = { http: 'frontend', actors: 'actor host', all: 'server' };
    return `${names[this.role ?? ''] ?? 'process'} ${this.address}`;
  }

  get seconds(): number {
    return (this.#last.at - this.#first.at) / 1_000;
  }

  /** @returns the growth of a counter. A counter that decreased was reset by a restart, so its value is the growth. */
  increase(name: ReadMetric | `${ReadMetric}_${'sum' | 'count' | 'bucket'}`, labels: Labels = {}): number | undefined {
    const [before, after] = [sumOf(this.#first, name, labels), sumOf(this.#last, name, labels)];
    if (after === undefined) return undefined;
    return before === undefined || after < before ? after : after - before;
  }

  /** @returns the growth of a counter per second; undefined if it is missing or was read only once */
  rate(name: Parameters<ProcessFigures['increase']>[0], labels: Labels = {}): number | undefined {
    const increase = this.increase(name, labels);
    return increase === undefined || this.seconds <= 0 ? undefined : increase / this.seconds;
  }

  /** @returns the mean of a gauge over all reads */
  mean(name: ReadMetric, labels: Labels = {}): number | undefined {
    const values = this.scrapes
      .map((scrape) => sumOf(scrape, name, labels))
      .filter((value) => value !== undefined && Number.isFinite(value)) as number[];
    return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
  }

  /** @returns the values of a label of a metric */
  labelValues(name: ReadMetric, label: string): string[] {
    const values = this.#last.samples
      .filter((sample) => sample.name === name)
      .map(({ labels }) => labels[label])
      .filter((value) => value !== undefined);
    return [...new Set(values)];
  }

  /**
   * Quantile of the values that a histogram got in this time, over all labels, linear within a bucket.
   *
   * @returns undefined with fewer values than `least`
   */
  quantile(name: ReadMetric, q: number, least: number): number | undefined {
    const bounds = this.labelValues(`${name}_bucket` as ReadMetric, 'le')
      .map((le) => ({ le, bound: le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le) }))
      .sort((a, b) => a.bound - b.bound)
      .map(({ le, bound }) => ({ bound, count: this.increase(`${name}_bucket`, { le }) ?? 0 }));
    const all = bounds.at(-1)?.count ?? 0;
    if (all < least || all === 0) return undefined;
    let [below, from] = [0, 0];
    for (const { bound, count } of bounds) {
      if (count >= q * all) {
        // The last bucket has no upper bound, so its lower bound is the result.
        return Number.isFinite(bound)
          ? from + ((bound - from) * (q * all - below)) / Math.max(1e-9, count - below)
          : from;
      }
      [below, from] = [count, bound];
    }
    return from;
  }

  get #build(): MetricSample | undefined {
    return this.#last.samples.find(({ name }) => name === 'conclave_build_info');
  }
}
