/** Rules for advice on a deployment, on generated metrics. */
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { METRIC_DECLARATIONS } from '#base/metrics';
import {
  adviceOf,
  adviceText,
  type Evidence,
  type HarnessFigures,
  isReadByRules,
  makeAdviceSection,
  RULES,
  thresholdText,
} from '../../load/advice.js';
import { ProcessFigures } from '../../load/process-figures.js';

/** Values of a process's metrics by name, or by name and labels as in the text format: `name{label="value"}`. */
type Samples = Readonly<Record<string, number>>;

const SECONDS = 10;

/** @returns a process with the metrics `before`, and the metrics `after` ten seconds later */
function makeProcess(role: string, before: Samples, after: Samples, address = '127.0.0.1:9991'): ProcessFigures {
  const face = role === 'all' ? 'embedded' : 'cluster';
  const scrape = (at: number, values: Samples) => ({
    at,
    samples: Object.entries({ [`conclave_build_info{role="${role}",face="${face}"}`]: 1, ...values }).map(
      ([text, value]) => {
        const [name = '', labels = ''] = text.split(/[{}]/);
        const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, of]) => [label!, of!] as const);
        return { name, labels: Object.fromEntries(pairs), value };
      },
    ),
  });
  return new ProcessFigures(address, [scrape(0, before), scrape(SECONDS * 1_000, after)]);
}

const IDLE_HARNESS: HarnessFigures = { busiest: 0.2, limited: 0, machine: undefined };

/** @returns a process whose counters grow from 0 and whose gauges do not change */
const processWithGrowth = (role: string, counters: Samples, gauges: Samples = {}): ProcessFigures => {
  const zeros = Object.fromEntries(Object.keys(counters).map((name) => [name, 0]));
  return makeProcess(role, { ...zeros, ...gauges }, { ...counters, ...gauges });
};

const makeEvidence = (...processes: ProcessFigures[]): Evidence => ({ processes, harness: IDLE_HARNESS });
const cpuEvidence = (role: string, share: number): Evidence =>
  makeEvidence(processWithGrowth(role, { process_cpu_seconds_total: share * SECONDS }));
const gaugeEvidence = (role: string, name: string, value: number): Evidence =>
  makeEvidence(processWithGrowth(role, {}, { [name]: value }));
const counterEvidence = (role: string, name: string, value: number): Evidence =>
  makeEvidence(processWithGrowth(role, { [name]: value }));
const mailboxEvidence = (kind: string, most: number, all = most): Evidence =>
  makeEvidence(
    processWithGrowth(
      'actors',
      {},
      {
        [`conclave_mailbox_commands_max{kind="${kind}"}`]: most,
        [`conclave_mailbox_commands{kind="${kind}"}`]: all,
      },
    ),
  );
/** A histogram of 100 values: `within` of them are at most `bound` seconds, the others at most one second. */
const histogramEvidence = (name: string, bound: number, within: number, all = 100): Evidence =>
  makeEvidence(
    processWithGrowth('actors', {
      [`${name}_bucket{le="${bound}"}`]: within,
      [`${name}_bucket{le="1"}`]: all,
      [`${name}_bucket{le="+Inf"}`]: all,
    }),
  );
const machineEvidence = (cores: number, memory: number): Evidence => ({
  processes: [],
  harness: { ...IDLE_HARNESS, machine: { cores, memory } },
});

/** By limit: evidence in which the rule fires, with its words, and evidence in which it does not. */
const CASES: Readonly<Record<string, { fires: readonly (readonly [Evidence, RegExp])[]; not: readonly Evidence[] }>> = {
  'the harness': {
    fires: [
      [{ processes: [], harness: { ...IDLE_HARNESS, busiest: 0.97 } }, /97 % of a core.*--workers of the harness/],
    ],
    not: [{ processes: [], harness: { ...IDLE_HARNESS, busiest: 0.8 } }],
  },
  'cores of the machine': {
    fires: [[machineEvidence(0.98, 0.5), /98 % of the cores/]],
    not: [machineEvidence(0.8, 0.5)],
  },
  'rate limits': {
    fires: [
      [
        { processes: [], harness: { ...IDLE_HARNESS, limited: 7 } },
        /^rate limits: 7 calls were refused with 429\. .*RATE_LIMITS=off/,
      ],
      [
        counterEvidence('http', 'conclave_http_rate_limited_total{limit="user"}', 12),
        /12 calls .*\(by limit: user 12\)/,
      ],
    ],
    not: [
      counterEvidence('http', 'conclave_http_rate_limited_total{limit="user"}', 0),
      makeEvidence(
        makeProcess(
          'http',
          { 'conclave_http_rate_limited_total{limit="user"}': 5 },
          { 'conclave_http_rate_limited_total{limit="user"}': 5 },
        ),
      ),
    ],
  },
  'requests and polls of a frontend': {
    fires: [
      [counterEvidence('http', 'conclave_http_overload_total{what="polls"}', 3), /503 to 3 requests.*--max-polls/],
    ],
    not: [counterEvidence('http', 'conclave_http_overload_total{what="polls"}', 0)],
  },
  'connections of a frontend': {
    fires: [[counterEvidence('http', 'conclave_http_turned_away_connections_total', 2), /2 times.*--max-connections/]],
    not: [counterEvidence('http', 'conclave_http_turned_away_connections_total', 0)],
  },
  'file descriptors': {
    fires: [
      [
        makeEvidence(processWithGrowth('http', {}, { process_open_fds: 900, process_max_fds: 1_000 })),
        /90 % of its file/,
      ],
    ],
    not: [makeEvidence(processWithGrowth('http', {}, { process_open_fds: 700, process_max_fds: 1_000 }))],
  },
  'CPU of frontends': {
    fires: [[cpuEvidence('http', 0.95), /frontend 127\.0\.0\.1:9991 used 95 % of a core\. Remedy: another frontend/]],
    not: [cpuEvidence('http', 0.8), cpuEvidence('actors', 0.95), cpuEvidence('all', 0.95)],
  },
  'late timers of frontends': {
    fires: [[gaugeEvidence('http', 'conclave_event_loop_delay_seconds', 0.2), /200 ms late/]],
    not: [
      gaugeEvidence('http', 'conclave_event_loop_delay_seconds', 0.05),
      gaugeEvidence('actors', 'conclave_event_loop_delay_seconds', 0.2),
    ],
  },
  'CPU of actor hosts': {
    fires: [[cpuEvidence('actors', 0.95), /actor host 127\.0\.0\.1:9991 used 95 %.*another actor host/]],
    not: [cpuEvidence('actors', 0.8), cpuEvidence('http', 0.95), cpuEvidence('all', 0.95)],
  },
  'late timers of actor hosts': {
    fires: [[gaugeEvidence('actors', 'conclave_event_loop_delay_seconds', 0.2), /200 ms late.*another actor host/]],
    not: [
      gaugeEvidence('actors', 'conclave_event_loop_delay_seconds', 0.1),
      gaugeEvidence('http', 'conclave_event_loop_delay_seconds', 0.2),
    ],
  },
  'CPU of workers': {
    fires: [
      [
        makeEvidence(
          processWithGrowth('all', {
            'conclave_worker_cpu_seconds_total{worker="1"}': 2,
            'conclave_worker_cpu_seconds_total{worker="2"}': 9,
          }),
        ),
        /worker 2 of server .* used 90 % of a core.*--workers of the server/,
      ],
    ],
    not: [counterEvidence('all', 'conclave_worker_cpu_seconds_total{worker="1"}', 8)],
  },
  'CPU of the embedded server': {
    fires: [[cpuEvidence('all', 0.95), /server 127\.0\.0\.1:9991 used 95 %.*a cluster/]],
    not: [cpuEvidence('all', 0.8), cpuEvidence('http', 0.95)],
  },
  'late timers of the embedded server': {
    fires: [[gaugeEvidence('all', 'conclave_event_loop_delay_seconds', 0.2), /200 ms late/]],
    not: [
      gaugeEvidence('all', 'conclave_event_loop_delay_seconds', 0.05),
      gaugeEvidence('http', 'conclave_event_loop_delay_seconds', 0.2),
    ],
  },
  'one conversation': {
    fires: [
      [mailboxEvidence('stream', 300), /300 commands waited for one actor of kind stream/],
      [mailboxEvidence('dm', 300, 500), /of kind dm/],
    ],
    not: [mailboxEvidence('stream', 90), mailboxEvidence('stream', 300, 9_000), mailboxEvidence('realm', 300)],
  },
  'the log of one organization': {
    fires: [[counterEvidence('http', 'conclave_log_entries_total', 60_000), /6,000 log entries a second/]],
    not: [counterEvidence('http', 'conclave_log_entries_total', 40_000)],
  },
  'appends to the log': {
    fires: [
      [
        histogramEvidence('conclave_log_append_seconds', 0.05, 90),
        /one in a hundred appends .* took [\d,]+ ms\. Remedy: NATS/,
      ],
    ],
    not: [
      histogramEvidence('conclave_log_append_seconds', 0.05, 100),
      histogramEvidence('conclave_log_append_seconds', 0.05, 5, 10),
    ],
  },
  'number of appends to the log': {
    fires: [[counterEvidence('actors', 'conclave_log_appends_total{result="done"}', 40_000), /4,000 appends a second/]],
    not: [
      counterEvidence('actors', 'conclave_log_appends_total{result="done"}', 30_000),
      counterEvidence('actors', 'conclave_log_appends_total{result="failed"}', 40_000),
    ],
  },
  commits: {
    fires: [
      [
        histogramEvidence('conclave_commit_seconds', 0.1, 90),
        /one in a hundred commits .* took [\d,]+ ms\. Remedy: MongoDB/,
      ],
    ],
    not: [
      histogramEvidence('conclave_commit_seconds', 0.1, 100),
      histogramEvidence('conclave_commit_seconds', 0.1, 5, 10),
    ],
  },
  'one organization': {
    fires: [[mailboxEvidence('realm', 300), /of kind realm/]],
    not: [mailboxEvidence('realm', 90), mailboxEvidence('stream', 300)],
  },
  'another actor': {
    fires: [[mailboxEvidence('user', 300), /of kind user/]],
    not: [mailboxEvidence('user', 90), mailboxEvidence('realm', 300)],
  },
  partitions: {
    fires: [[gaugeEvidence('actors', 'conclave_cluster_hosts', 120), /120 actor hosts.*several clusters/]],
    not: [gaugeEvidence('actors', 'conclave_cluster_hosts', 106)],
  },
  'fan-out of NATS': {
    fires: [
      [
        makeEvidence(
          processWithGrowth('http', { 'conclave_bus_bytes_total{direction="in"}': 700e6 }),
          processWithGrowth('actors', { 'conclave_bus_bytes_total{direction="out"}': 500e6 }),
        ),
        /120 MB a second/,
      ],
    ],
    not: [counterEvidence('http', 'conclave_bus_bytes_total{direction="in"}', 900e6)],
  },
  'memory of the machine': {
    fires: [[machineEvidence(0.5, 0.95), /95 % of the memory/]],
    not: [machineEvidence(0.5, 0.8)],
  },
  'memory of a process': {
    fires: [[counterEvidence('actors', 'nodejs_gc_duration_seconds_sum{kind="major"}', 3), /30 % of its time/]],
    not: [counterEvidence('actors', 'nodejs_gc_duration_seconds_sum{kind="major"}', 1)],
  },
};

t.test('each rule has a test, in the order of the rules', async (test) => {
  test.strictSame(
    Object.keys(CASES),
    RULES.map(({ limit }) => limit),
  );
});

for (const [limit, { fires, not }] of Object.entries(CASES)) {
  t.test(`rule: ${limit}`, async (test) => {
    for (const [evidence, words] of fires) {
      const advice = adviceOf(evidence);
      test.strictSame(
        advice.map((one) => one.limit),
        [limit],
        'only this rule gives advice',
      );
      test.match(adviceText({ advice, room: '', processes: [] }).join(), words);
    }
    for (const evidence of not) {
      test.notOk(
        adviceOf(evidence).some((one) => one.limit === limit),
        'the rule gives no advice',
      );
    }
  });
}

t.test('the rules read metrics that the server declares, and other metrics are not kept', async (test) => {
  for (const name of RULES.flatMap(({ metrics }) => metrics)) {
    if (name.startsWith('conclave_')) test.ok(name in METRIC_DECLARATIONS, name);
    test.ok(isReadByRules(name));
  }
  test.notOk(isReadByRules('nodejs_version_info'));
});

t.test('docs/load.md lists the rules in their order', async (test) => {
  const page = await readFile('docs/load.md', 'utf8');
  const rows = RULES.map((rule) => {
    const metrics = rule.metrics.length === 0 ? 'the harness' : rule.metrics.map((name) => `\`${name}\``).join(', ');
    const embedded = rule.embedded === undefined ? '' : ` (embedded: ${rule.embedded})`;
    return `| ${rule.limit} | ${thresholdText(rule)} | ${metrics} | ${rule.remedy}${embedded} |`;
  });
  test.match(page, rows.join('\n'));
});

t.test('the embedded face has remedies of its own', async (test) => {
  const slow = {
    'conclave_commit_seconds_bucket{le="1"}': 0,
    'conclave_commit_seconds_bucket{le="2.5"}': 100,
    'conclave_commit_seconds_bucket{le="+Inf"}': 100,
  };
  const remedyOf = (role: string): string | undefined =>
    adviceOf(makeEvidence(processWithGrowth(role, slow)))[0]?.remedy;
  test.match(remedyOf('actors'), /^MongoDB: faster disks/);
  test.equal(remedyOf('all'), 'a faster disk');
});

t.test('advice names the process with the largest value, and follows the order of the rules', async (test) => {
  const processes = [
    makeProcess('http', { process_cpu_seconds_total: 5 }, { process_cpu_seconds_total: 14 }, 'a:1'),
    makeProcess('http', { process_cpu_seconds_total: 0 }, { process_cpu_seconds_total: 9.8 }, 'b:1'),
    processWithGrowth(
      'actors',
      { process_cpu_seconds_total: 9.1 },
      { 'conclave_mailbox_commands_max{kind="stream"}': 500 },
    ),
  ];
  const { advice, processes: rows } = makeAdviceSection(makeEvidence(...processes), ['slow']);
  test.strictSame(
    advice.map(({ limit, evidence }) => `${limit}: ${evidence}`),
    [
      'CPU of frontends: frontend b:1 used 98 % of a core',
      'CPU of actor hosts: actor host 127.0.0.1:9991 used 91 % of a core',
      'one conversation: 500 commands waited for one actor of kind stream on actor host 127.0.0.1:9991',
    ],
  );
  test.strictSame(
    rows.map(({ name, cpu: cores }) => [name, cores?.toFixed(2)]),
    [
      ['frontend a:1', '0.90'],
      ['frontend b:1', '0.98'],
      ['actor host 127.0.0.1:9991', '0.91'],
    ],
  );
});

t.test('without advice the section names the distance of the resources from their limits', async (test) => {
  const text = (broke: readonly string[], ...processes: ProcessFigures[]): string =>
    adviceText(makeAdviceSection(makeEvidence(...processes), broke)).join();
  const calm = processWithGrowth(
    'http',
    { process_cpu_seconds_total: 4.1 },
    { conclave_event_loop_delay_seconds: 0.003 },
  );
  test.equal(
    text([], calm),
    'nothing was at its limit: the busiest process (frontend 127.0.0.1:9991) used 41 % of a core; timers were late by 3.00 ms',
  );
  test.match(
    text(['mean of calls'], calm),
    /^no resource that these metrics show was at its limit: look at the network/,
  );
  test.match(text([]), /^not known: .*--metrics/);
});

t.test('rates, means and quantiles of a process follow from its first and last metrics', async (test) => {
  const restarted = makeProcess('http', { process_cpu_seconds_total: 50 }, { process_cpu_seconds_total: 3 });
  test.equal(restarted.increase('process_cpu_seconds_total'), 3, 'a restart resets the counter');
  test.equal(restarted.increase('process_open_fds'), undefined);
  const once = new ProcessFigures('a', [
    { at: 5, samples: [{ name: 'process_cpu_seconds_total', labels: {}, value: 1 }] },
  ]);
  test.equal(once.rate('process_cpu_seconds_total'), undefined);
  test.equal(once.role, undefined);
  test.strictSame(adviceOf(makeEvidence(once)), []);
  const name = 'conclave_commit_seconds';
  const spread = processWithGrowth('actors', {
    [`${name}_bucket{le="0.01",kind="user"}`]: 30,
    [`${name}_bucket{le="0.01",kind="stream"}`]: 20,
    [`${name}_bucket{le="0.1",kind="user"}`]: 60,
    [`${name}_bucket{le="0.1",kind="stream"}`]: 40,
    [`${name}_bucket{le="+Inf",kind="user"}`]: 60,
    [`${name}_bucket{le="+Inf",kind="stream"}`]: 40,
  });
  test.equal(spread.quantile(name, 0.5, 1), 0.01);
  test.ok(Math.abs(spread.quantile(name, 0.75, 1)! - 0.055) < 1e-9);
  test.equal(spread.quantile(name, 0.75, 101), undefined);
  const beyond = processWithGrowth('actors', { [`${name}_bucket{le="0.1"}`]: 1, [`${name}_bucket{le="+Inf"}`]: 100 });
  test.equal(beyond.quantile(name, 0.99, 1), 0.1, 'the largest finite bound');
});
