/** Strict parser of the Prometheus text format: an invalid line is an error. */

export interface MetricsText {
  /** Metric types by metric name. */
  readonly types: ReadonlyMap<string, string>;
  /** Samples in order of their lines. */
  readonly samples: readonly {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly value: number;
  }[];
  /** Value of the sample with exactly these labels. */
  value(name: string, labels: Readonly<Record<string, string>>): number | undefined;
  /** Sum of all samples of a metric whose labels include these. */
  sum(name: string, labels?: Readonly<Record<string, string>>): number;
}

const HELP = /^# HELP [a-zA-Z_:][\w:]* .+$/;
const TYPE = /^# TYPE ([a-zA-Z_:][\w:]*) (counter|gauge|histogram|summary|untyped)$/;
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? ([-+]?(?:\d+(?:\.\d+)?(?:e[-+]?\d+)?|Inf)|NaN)$/i;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\["\\n])*)"(?:,|$)/gy;

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const found = LABEL.exec(text);
    if (!found) throw new Error(`invalid labels: ${text}`);
    const [, name = '', value = ''] = found;
    if (name in labels) throw new Error(`label ${name} is repeated: ${text}`);
    labels[name] = value.replace(/\\(.)/g, (_, c: string) => (c === 'n' ? '\n' : c));
  }
  return labels;
}

const nameWithout = (name: string): string => name.replace(/_(bucket|sum|count)$/, '');

export function parseMetrics(text: string): MetricsText {
  const types = new Map<string, string>();
  const samples: MetricsText['samples'][number][] = [];
  const seen = new Set<string>();
  if (!text.endsWith('\n')) throw new Error('the last line does not end with a newline');
  for (const line of text.split('\n')) {
    if (line === '' || HELP.test(line)) continue;
    const [, typed, type] = TYPE.exec(line) ?? [];
    if (typed !== undefined) {
      if (types.has(typed)) throw new Error(`${typed} is declared twice`);
      types.set(typed, type!);
      continue;
    }
    const [, name, labelText = '', number] = SAMPLE.exec(line) ?? [];
    if (name === undefined) throw new Error(`not a sample or a type line: ${line}`);
    if (!types.has(name) && !types.has(nameWithout(name)))
      throw new Error(`metric ${name} has no type line before its sample`);
    const labels = labelsOf(labelText);
    const key = `${name} ${JSON.stringify(Object.entries(labels).sort())}`;
    if (seen.has(key)) throw new Error(`twice: ${line}`);
    seen.add(key);
    samples.push({ name, labels, value: Number(number!.replace('Inf', 'Infinity')) });
  }
  const has = (of: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>): boolean =>
    Object.entries(wanted).every(([label, value]) => of[label] === value);
  return {
    types,
    samples,
    value: (name, labels) =>
      samples.find(
        (s) => s.name === name && has(s.labels, labels) && Object.keys(s.labels).length === Object.keys(labels).length,
      )?.value,
    sum: (name, labels = {}) =>
      samples.filter((s) => s.name === name && has(s.labels, labels)).reduce((sum, { value }) => sum + value, 0),
  };
}
